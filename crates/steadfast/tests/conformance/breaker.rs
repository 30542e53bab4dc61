//! Circuit breakers: what they permit, and the states that follow.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use steadfast::decide::{Decision, SessionLimits, on_rejection};
use steadfast::guard::Breaker;
use steadfast::guard::breaker::{BreakerState, Permit, Rejection};
use steadfast::{Moment, Policy};

use crate::Checked;
use crate::cases::{Case, expect, expect_seconds, valid};
use crate::common::world::World;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    policy: Map<String, Value>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// Seconds that pass before it.
    #[serde(default)]
    after: f64,
    /// A whole call, and its outcome.
    call: Option<Outcome>,
    /// The name of a call that starts and stays in flight.
    start: Option<String>,
    /// The name of a call in flight that ends, with `outcome`.
    end: Option<String>,
    outcome: Option<Outcome>,
    /// Seconds that the whole call takes.
    took: Option<f64>,
    control: Option<Control>,
    /// Seconds that `open_for` is about.
    open_for: Option<f64>,
    /// How often in a row.
    times: Option<usize>,
    /// The seconds until the next probe that a rejection reports.
    #[serde(default, deserialize_with = "present")]
    retry_after: Option<Option<f64>>,
    /// What a session does about a rejection: the seconds it waits, or the reason it gives up with.
    then: Option<Value>,
    /// The state after it.
    state: Option<BreakerState>,
}

/// Tells a null from a field that is absent.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(value).map(Some)
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Success,
    Failure,
    /// It ends without a result, and its permit is released.
    Ignored,
    Rejected,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Control {
    Open,
    Close,
    Isolate,
    Disable,
}

struct Run {
    policy: Policy,
    breaker: Breaker,
    now: Moment,
    in_flight: BTreeMap<String, (Permit, Moment)>,
}

pub(crate) fn check(case: &Case) -> Checked {
    let Script { policy, steps } = case.read()?;
    assert!(!steps.is_empty(), "{} expects nothing", case.id);
    let policy = valid(&case.id, &policy)?;
    let settings = *policy.breaker().ok_or("the policy has no breaker")?;
    let breaker = Breaker::new(settings).map_err(|why| why.to_string())?;
    let mut run = Run { policy, breaker, now: Moment::ORIGIN, in_flight: BTreeMap::new() };
    (1..).zip(&steps).try_for_each(|(number, step): (usize, _)| {
        (0..step.times.unwrap_or(1))
            .try_for_each(|_| run.step(step))
            .map_err(|why| format!("step {number}: {why}"))
    })?;
    expect("the calls in flight at the end", run.in_flight.len(), 0)
}

impl Run {
    fn step(&mut self, step: &Step) -> Checked {
        self.pass(step.after);
        let end = step.end.as_ref().zip(step.outcome);
        let rejection = match (step.call, &step.start, end, step.control, step.open_for) {
            (Some(outcome), None, None, None, None) => {
                self.call(outcome, step.took.unwrap_or_default())?
            }
            (None, Some(name), None, None, None) => {
                let permit = self.acquire()?;
                let earlier = self.in_flight.insert(name.clone(), (permit, self.now));
                expect("whether another call has this name", earlier.is_some(), false)?;
                None
            }
            (None, None, Some((name, outcome)), None, None) => {
                let (permit, start) = self.in_flight.remove(name).ok_or("it has not started")?;
                self.report(outcome, permit, start)?;
                None
            }
            (None, None, None, Some(control), None) => {
                self.control(control);
                None
            }
            (None, None, None, None, Some(seconds)) => {
                self.breaker.open_for(Duration::from_secs_f64(seconds), self.now);
                None
            }
            (None, None, None, None, None) if step.state.is_some() => None,
            _ => return Err("it is not one thing".to_owned()),
        };
        expect("whether `took` has a call", step.took.is_some() && step.call.is_none(), false)?;
        expect("whether `outcome` has an end", step.outcome.is_some(), end.is_some())?;
        self.check_rejection(step, rejection)?;
        step.state.map_or(Ok(()), |state| expect("state", self.breaker.state(self.now), state))
    }

    fn pass(&mut self, seconds: f64) {
        self.now = self.now + Duration::from_secs_f64(seconds);
    }

    fn acquire(&self) -> Result<Permit, String> {
        self.breaker.acquire(self.now).map_err(|rejection| format!("it is rejected: {rejection}"))
    }

    fn call(&mut self, outcome: Outcome, took: f64) -> Result<Option<Rejection>, String> {
        if outcome == Outcome::Rejected {
            expect("the time that a rejected call takes", took, 0.0)?;
            let rejection = self.breaker.acquire(self.now).err();
            return rejection.ok_or("it is permitted".to_owned()).map(Some);
        }
        let (permit, start) = (self.acquire()?, self.now);
        self.pass(took);
        self.report(outcome, permit, start)?;
        Ok(None)
    }

    fn report(&self, outcome: Outcome, permit: Permit, start: Moment) -> Checked {
        let took = Some(self.now.since(start));
        match outcome {
            Outcome::Success => {
                self.breaker.success(permit, self.now, took);
            }
            Outcome::Failure => {
                self.breaker.failure(permit, self.now, took);
            }
            Outcome::Ignored => self.breaker.ignore(permit),
            Outcome::Rejected => return Err("a call in flight is not rejected".to_owned()),
        }
        Ok(())
    }

    fn control(&self, control: Control) {
        match control {
            Control::Open => self.breaker.open(self.now),
            Control::Close => self.breaker.close(self.now),
            Control::Isolate => self.breaker.isolate(self.now),
            Control::Disable => self.breaker.disable(self.now),
        };
    }

    fn check_rejection(&self, step: &Step, rejection: Option<Rejection>) -> Checked {
        let Some(rejection) = rejection else {
            let expects = step.retry_after.is_some() || step.then.is_some();
            return expect("whether a rejection is expected", expects, false);
        };
        match (step.retry_after, rejection.retry_after) {
            (None, _) => {}
            (Some(Some(seconds)), Some(found)) => expect_seconds("retry_after", found, seconds)?,
            (Some(expected), found) => {
                expect("whether there is a retry_after", found.is_some(), expected.is_some())?;
            }
        }
        let Some(then) = &step.then else {
            return Ok(());
        };
        let limits = SessionLimits::default().started(self.now);
        let mut world = World::new([]);
        match on_rejection(&self.policy, &limits, self.now, &rejection, 0, &mut world) {
            Decision::Retry(wait) => {
                expect_seconds("the wait", wait, then.as_f64().ok_or("the session waits")?)
            }
            Decision::GiveUp(reason) => expect("the reason", Some(reason.name()), then.as_str()),
        }
    }
}
