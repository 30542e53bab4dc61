//! One session, three ways: by the core alone, by the driver that blocks and by the one that
//! is a future. Whatever they do, they must do alike (I1).

use std::cell::Cell;
use std::pin::Pin;
use std::time::Duration;

use steadfast::decide::{Decision, Progress, SessionLimits};
use steadfast::drive::{Callable, FailedAttempt, GaveUp, Keyed, RetryError};
use steadfast::judge::{self, MatchedBy};
use steadfast::{Attempt, Class, Fault, Moment, Policy, Reason, Report, Retry, retry};

use super::world::World;

/// The outcome of a session, in every driver.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) policy: Policy,
    pub(crate) draws: Vec<u64>,
    /// Each attempt: how long it takes, and what it fails with. The last one repeats.
    pub(crate) script: Vec<(Duration, Option<Fault>)>,
    pub(crate) key: Key,
    /// Whether the operation is idempotent, as far as its layer knows. Only the core uses it.
    pub(crate) idempotent: Option<bool>,
    pub(crate) place: Place,
}

/// How the operation uses its idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Unused,
    /// Set by the start of the session.
    Given,
    /// The operation asks for it.
    Read,
}

/// Where the session lives. Only a store has an expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Process,
    Store { expires_at: Option<Moment> },
}

/// Whether an attempt that takes too long is cut off (P5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overrun {
    /// It runs to its end, as in the blocking driver.
    Runs,
    /// As in the async driver.
    IsCutOff,
}

/// Everything that a session did.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    pub(crate) steps: Vec<Step>,
    /// Why it gave up, if it did.
    pub(crate) reason: Option<Reason>,
    pub(crate) attempts: u32,
    pub(crate) rate_limit_waits: u32,
    pub(crate) elapsed: Duration,
    /// What was really waited.
    pub(crate) waits: Vec<Duration>,
    pub(crate) draws_left: i64,
}

/// One failure, and what followed from it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) attempt: u32,
    pub(crate) class: Class,
    pub(crate) rule: Option<String>,
    pub(crate) matched_by: MatchedBy,
    pub(crate) delay: Option<Duration>,
}

impl Scenario {
    fn world(&self) -> World {
        World::new(self.draws.iter().copied())
    }

    fn result(&self, index: usize) -> (Duration, Option<Fault>) {
        let entry = self.script.get(index).or(self.script.last());
        entry.cloned().expect("a script is not empty")
    }

    fn terms(&self) -> SessionLimits {
        let terms = match self.place {
            Place::Process => SessionLimits::IN_PROCESS,
            Place::Store { expires_at } => SessionLimits::IN_STORE.expires_at(expires_at),
        };
        let key_in_use = self.key != Key::Unused;
        terms.key_in_use(key_in_use).idempotent(self.idempotent)
    }

    /// The result of an attempt that starts now, and how long it takes. Unless it is ready at once,
    /// its limit is noted as a wait, because the async driver arms a timer.
    fn cut_off(&self, index: usize, world: &World) -> (Duration, Option<Fault>) {
        let (took, fault) = self.result(index);
        match Progress::attempt_limit(&self.policy, &self.terms(), world.now()) {
            Some(limit) if !took.is_zero() => {
                world.note_wait(limit);
                if took > limit { (limit, Some(Fault::timed_out())) } else { (took, fault) }
            }
            _ => (took, fault),
        }
    }

    /// By the core alone.
    pub(crate) fn by_core(&self, overrun: Overrun) -> Trace {
        let mut world = self.world();
        let mut progress = Progress::default();
        let mut steps = Vec::new();
        let end = |steps, reason, attempts, progress: &Progress, world: &World| Trace {
            steps,
            reason,
            attempts,
            rate_limit_waits: progress.rate_limit_waits,
            elapsed: world.now().since(Moment::ORIGIN),
            waits: world.waits(),
            draws_left: world.draws_left(),
        };
        for index in 0.. {
            let (took, fault) = match overrun {
                Overrun::Runs => self.result(index),
                Overrun::IsCutOff => self.cut_off(index, &world),
            };
            world.pass(took);
            let Some(fault) = fault else {
                return end(steps, None, progress.attempt(), &progress, &world);
            };
            let judgement = judge::judge(self.policy.rules(), &fault);
            let mut step = Step {
                attempt: progress.attempt(),
                class: judgement.class(),
                rule: judgement.rule(self.policy.rules()).map(str::to_owned),
                matched_by: judgement.matched_by(),
                delay: None,
            };
            let now = world.now();
            match progress.decide(&self.policy, &self.terms(), now, &judgement, &mut world) {
                Decision::Retry(delay) => {
                    step.delay = Some(delay);
                    steps.push(step);
                    if !delay.is_zero() {
                        world.note_wait(delay);
                        world.pass(delay);
                    }
                }
                Decision::GiveUp(reason) => {
                    steps.push(step);
                    return end(steps, Some(reason), progress.attempts, &progress, &world);
                }
            }
        }
        unreachable!("there is always another attempt, or an end")
    }

    /// By the driver that blocks the thread.
    pub(crate) fn by_blocking(&self) -> Trace {
        let world = self.world();
        let calls = Cell::new(0);
        let session = self.keyed(retry(&self.policy, self.blocking(&world, &calls)));
        let end = session.environment(world.clone()).with_report().call();
        Trace::of(end.map(|((), report)| report), &world)
    }

    /// By the driver that is a future.
    pub(crate) fn by_future(&self) -> Trace {
        let world = self.world();
        let calls = Cell::new(0);
        let session = self.keyed(retry(&self.policy, self.passing(&world, &calls)));
        let session = session.environment(world.clone()).with_report();
        Trace::of(world.run(session.into_future()).map(|((), report)| report), &world)
    }

    /// By both drivers without a report, which may start without session state: why they
    /// gave up, if they did, and what they waited.
    pub(crate) fn unreported(&self) -> [(Option<GaveUp>, Vec<Duration>); 2] {
        let (world, calls) = (self.world(), Cell::new(0));
        let session = self.keyed(retry(&self.policy, self.blocking(&world, &calls)));
        let end = session.environment(world.clone()).call();
        let blocking = (end.err().map(RetryError::into_gave_up), world.waits());

        let (world, calls) = (self.world(), Cell::new(0));
        let session = self.keyed(retry(&self.policy, self.passing(&world, &calls)));
        let session = session.environment(world.clone());
        let end = world.run(session.into_future());
        [blocking, (end.err().map(RetryError::into_gave_up), world.waits())]
    }

    fn keyed<'p, Operation: Callable<Shape>, Shape>(
        &self,
        session: Retry<&'p Policy, Operation, Shape>,
    ) -> Retry<&'p Policy, Keyed<Operation>, Shape> {
        session.maybe_key((self.key == Key::Given).then(|| "given".into()))
    }

    fn blocking(
        &self,
        world: &World,
        calls: &Cell<usize>,
    ) -> impl FnMut(Attempt) -> Result<(), Fault> {
        move |attempt| {
            let (took, fault) = self.start(calls, &attempt);
            world.pass(took);
            fault.map_or(Ok(()), Err)
        }
    }

    fn passing<'s>(
        &'s self,
        world: &'s World,
        calls: &'s Cell<usize>,
    ) -> impl FnMut(Attempt) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + 's>> {
        move |attempt| {
            let (took, fault) = self.start(calls, &attempt);
            let passing = world.passing(took);
            Box::pin(async {
                passing.await;
                fault.map_or(Ok(()), Err)
            })
        }
    }

    fn start(&self, calls: &Cell<usize>, attempt: &Attempt) -> (Duration, Option<Fault>) {
        if self.key == Key::Read {
            let _ = attempt.key();
        }
        let index = calls.get();
        calls.set(index + 1);
        self.result(index)
    }
}

impl Trace {
    fn of(end: Result<Report, RetryError<Fault>>, world: &World) -> Self {
        let (reason, attempts, rate_limit_waits, elapsed, failures) = match end {
            Ok(report) => {
                let Report { attempts, rate_limit_waits, elapsed, failures, .. } = report;
                (None, attempts, rate_limit_waits, elapsed, failures)
            }
            Err(error) => {
                let GaveUp { reason, attempts, rate_limit_waits, elapsed, failures, .. } =
                    error.into_gave_up();
                (Some(reason), attempts, rate_limit_waits, elapsed, failures)
            }
        };
        Self {
            steps: failures.into_iter().map(Step::of).collect(),
            reason,
            attempts,
            rate_limit_waits,
            elapsed,
            waits: world.waits(),
            draws_left: world.draws_left(),
        }
    }
}

impl Step {
    pub(crate) fn of(failure: FailedAttempt) -> Self {
        let FailedAttempt { attempt, class, rule, matched_by, delay, .. } = failure;
        Self { attempt, class, rule, matched_by, delay }
    }
}
