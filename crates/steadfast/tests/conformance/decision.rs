//! Whole sessions, in the core and both drivers (I1).

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use steadfast::{Class, Fault, Moment};

use crate::Checked;
use crate::cases::{Case, draw, expect, expect_seconds, valid};
use crate::common::ways::{Key, Overrun, Place, Scenario, Step, Trace};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    policy: Map<String, Value>,
    #[serde(default)]
    draws: Vec<f64>,
    #[serde(default, rename = "where")]
    place: Where,
    /// Seconds after the session began.
    expires_at: Option<f64>,
    #[serde(default)]
    key_in_use: bool,
    idempotent: Option<bool>,
    script: Vec<Attempt>,
    #[serde(flatten)]
    end: End,
    /// The same, where an attempt that takes too long is cut off.
    cut_off: Option<CutOff>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CutOff {
    #[serde(flatten)]
    end: End,
}

#[derive(Deserialize)]
struct End {
    trace: Option<Vec<Expected>>,
    reason: Option<String>,
    attempts: u32,
    rate_limit_waits: u32,
    elapsed: f64,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Where {
    #[default]
    Process,
    Store,
}

/// An attempt that has no fault succeeds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attempt {
    #[serde(default)]
    took: f64,
    fault: Option<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    attempt: u32,
    class: Class,
    rule: Option<String>,
    matched_by: String,
    delay: Option<f64>,
    /// How often in a row.
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

pub(crate) fn check(case: &Case) -> Checked {
    let session: Session = case.read()?;
    let place = match (session.place, session.expires_at) {
        (Where::Process, None) => Place::Process,
        (Where::Process, Some(_)) => return Err("only what is in a store expires".to_owned()),
        (Where::Store, expires_at) => Place::Store { expires_at: expires_at.map(moment) },
    };
    let scenario = Scenario {
        policy: valid(&case.id, &session.policy)?,
        draws: session.draws.iter().copied().map(draw).collect(),
        script: session.script.iter().map(Attempt::outcome).collect(),
        key: Key::Unused,
        idempotent: session.idempotent,
        place,
    };
    let keys: &[Key] = if session.key_in_use { &[Key::Given, Key::Read] } else { &[Key::Unused] };
    keys.iter().try_for_each(|key| session.run(&Scenario { key: *key, ..scenario.clone() }))
}

fn moment(seconds: f64) -> Moment {
    Moment::ORIGIN + Duration::from_secs_f64(seconds)
}

impl Attempt {
    fn outcome(&self) -> (Duration, Option<Fault>) {
        (Duration::from_secs_f64(self.took), self.fault.clone())
    }
}

impl Session {
    fn run(&self, scenario: &Scenario) -> Checked {
        let trace = scenario.by_core(Overrun::Runs);
        self.end.compare(&trace)?;
        let cut_off = scenario.by_core(Overrun::IsCutOff);
        let end = self.cut_off.as_ref().map_or(&self.end, |cut_off| &cut_off.end);
        end.compare(&cut_off).map_err(|why| format!("where it is cut off: {why}"))?;
        // The drivers learn what is known of an operation from its layer.
        if scenario.place != Place::Process || scenario.idempotent.is_some() {
            return Ok(());
        }
        expect("the blocking driver's trace", scenario.by_blocking(), trace.clone())?;
        expect("the async driver's trace", scenario.by_future(), cut_off.clone())?;
        for ((gave_up, waits), trace) in scenario.unreported().into_iter().zip([trace, cut_off]) {
            expect("what is waited without a report", waits, trace.waits.clone())?;
            let reason = gave_up.as_ref().map(|gave_up| gave_up.reason);
            expect("the reason without a report", reason, trace.reason)?;
            if let Some(gave_up) = gave_up {
                let steps = gave_up.failures.into_iter().map(Step::of).collect();
                expect("the failures without a report", steps, trace.steps.clone())?;
                expect("the attempts without a report", gave_up.attempts, trace.attempts)?;
            }
        }
        Ok(())
    }
}

impl End {
    fn compare(&self, trace: &Trace) -> Checked {
        let reason = trace.reason.map(|reason| reason.name());
        expect("the reason", reason, self.reason.as_deref())?;
        expect("attempts", trace.attempts, self.attempts)?;
        expect("rate_limit_waits", trace.rate_limit_waits, self.rate_limit_waits)?;
        expect_seconds("elapsed", trace.elapsed, self.elapsed)?;
        expect("what is left of the draws", trace.draws_left, 0)?;
        let Some(expected) = &self.trace else {
            return Ok(());
        };
        let expected: Vec<_> =
            expected.iter().flat_map(|step| std::iter::repeat_n(step, step.times)).collect();
        expect("the number of failures", trace.steps.len(), expected.len())?;
        (1..).zip(&trace.steps).zip(expected).try_for_each(|((number, step), expected)| {
            expected.compare(step).map_err(|why| format!("failure {number}: {why}"))
        })
    }
}

impl Expected {
    fn compare(&self, step: &Step) -> Checked {
        expect("attempt", step.attempt, self.attempt)?;
        expect("class", step.class, self.class)?;
        expect("rule", step.rule.as_deref(), self.rule.as_deref())?;
        expect("matched_by", json!(step.matched_by), json!(self.matched_by))?;
        match (step.delay, self.delay) {
            (Some(delay), Some(seconds)) => expect_seconds("delay", delay, seconds),
            (delay, seconds) => expect("whether it waits", delay.is_some(), seconds.is_some()),
        }
    }
}
