//! Permits of a policy's guards for attempts.
//!
//! Every attempt acquires a permit before, reports its outcome to the guards, and has a failure
//! classified and decided. Local workers and workers over HTTP (D19) share this code, so that
//! breakers and budgets count every attempt (G4).

use std::time::Duration;

use steadfast::drive::{Environment as _, Instrument as _, Real};
use steadfast::guard::{self, PolicyGuards, Rejection, Transition};
use steadfast::judge::{self, Judgement};
use steadfast::{Class, Fault};

use crate::queue::claim::Claimed;
use crate::queue::settle::Verdict;
use crate::retry::decision::{FailureContext, GuardEnv};

/// The postponement of tasks while a breaker is isolated.
const ISOLATED_DELAY: Duration = Duration::from_secs(30);

/// The random part of a postponement. If all tasks returned at the next probe, the first would be
/// the probe and the others be rejected again.
const POSTPONE_JITTER: f64 = 0.1;

/// A permit of a policy's guards for one attempt. Dropping it releases it, including the permit of a
/// probe (G2).
#[derive(Debug)]
#[must_use = "the guards need the outcome of the attempt"]
pub struct AttemptPermit(PolicyGuards);

/// The outcome of an attempt.
#[derive(Debug)]
pub struct AttemptOutcome {
    /// The verdict on the task.
    pub verdict: Verdict,
    /// The change of its breaker, if there is one.
    pub change: Option<Transition>,
}

impl Claimed {
    /// Acquires a permit for an attempt.
    ///
    /// # Errors
    /// The verdict on the task if the guards reject it: it is postponed until the breaker's next
    /// probe. That is not an attempt (G2).
    pub fn acquire_permit(&self) -> Result<AttemptPermit, Verdict> {
        let mut guards = guard::for_policy(&self.policy);
        match guards.before_attempt(|| Real.now()) {
            Ok(()) => Ok(AttemptPermit(guards)),
            Err(rejection) => Err(postponed(&rejection)),
        }
    }

    /// A permit for an attempt that started in another process. The guards count it as if it started
    /// now; an open breaker ignores it.
    pub fn remote_permit(&self) -> AttemptPermit {
        let mut guards = guard::for_policy(&self.policy);
        let _ = guards.before_attempt(|| Real.now());
        AttemptPermit(guards)
    }
}

impl AttemptPermit {
    /// Whether a guard tracks this attempt.
    #[must_use]
    pub const fn is_tracked(&self) -> bool {
        self.0.0.is_some()
    }

    /// Reports success, with this result as JSON.
    #[must_use]
    pub fn succeeded(self, result: Option<String>) -> AttemptOutcome {
        AttemptOutcome { change: self.record_success(), verdict: Verdict::Completed { result } }
    }

    /// Reports success to the guards, and returns the change of their breaker.
    pub fn record_success(mut self) -> Option<Transition> {
        self.0.after_success(|| Real.now())
    }

    /// Reports a decided failure to the guards, and returns the change of their breaker.
    pub fn record_failure(mut self, class: Class) -> Option<Transition> {
        self.0.after_failure(class, Real.now())
    }

    /// Reports a failure, which the policy's rules classify.
    #[must_use]
    pub fn failed(self, task: &Claimed, fault: Fault, context: FailureContext) -> AttemptOutcome {
        let judgement = judge::judge(task.policy.rules(), &fault);
        self.failed_as(task, fault, judgement, context)
    }

    /// Reports a classified failure.
    #[must_use]
    pub fn failed_as(
        mut self,
        task: &Claimed,
        fault: Fault,
        judgement: Judgement,
        context: FailureContext,
    ) -> AttemptOutcome {
        let change = self.0.after_failure(judgement.class(), Real.now());
        if change.is_some() {
            self.0.record_cause(&fault);
        }
        let env = &mut GuardEnv(&mut self.0);
        AttemptOutcome { verdict: task.failed_as(fault, judgement, context, env), change }
    }
}

fn postponed(rejection: &Rejection) -> Verdict {
    let wait = rejection.retry_after.unwrap_or(ISOLATED_DELAY);
    Verdict::Postponed { delay: jittered(wait, fastrand::f64()) }
}

/// Adds jitter, by a draw from 0 to 1. The delay may be as long as a duration can be (K4).
fn jittered(wait: Duration, draw: f64) -> Duration {
    wait.saturating_add(wait.mul_f64(POSTPONE_JITTER * draw))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G2: postponed tasks return after the breaker's next probe, with jitter.
    #[test]
    fn postponed_tasks_return_after_the_probe() {
        let minute = Duration::from_secs(60);
        assert_eq!(jittered(minute, 0.0), minute);
        assert_eq!(jittered(minute, 0.5), Duration::from_secs(63));
    }

    /// K4: jitter does not overflow.
    #[test]
    fn jitter_saturates_at_the_longest_duration() {
        assert_eq!(jittered(Duration::MAX, 1.0), Duration::MAX);
    }
}
