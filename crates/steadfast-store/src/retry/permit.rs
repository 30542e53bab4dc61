//! AttemptPermit to make an attempt at a task, and what follows from how it ended.
//!
//! Whoever makes attempts does the same around them: asks the guards of the task's policy before,
//! tells them how it ended, and has the failure judged and decided. It is written once, for workers
//! here and for those that come over HTTP (D19): a breaker opens, and a budget fills, whoever does
//! the work (G4).

use std::time::Duration;

use steadfast::drive::{Environment as _, Instrument as _, Real};
use steadfast::guard::{self, PolicyGuards, Rejection, Transition};
use steadfast::judge::{self, Judgement};
use steadfast::{Class, Fault};

use crate::queue::claim::Claimed;
use crate::queue::settle::Verdict;
use crate::retry::decision::{Asked, FailureContext};

/// How long tasks wait for a breaker that only a person can close, before they ask again.
const ISOLATED: Duration = Duration::from_secs(30);

/// How much later than a breaker's next probe its tasks may come back. If all came at once, the
/// first would be the probe and the others be rejected for as long again.
const SPREAD: f64 = 0.1;

/// AttemptPermit of a policy's guards to make one attempt. Dropped, it is as if it had never been given: a
/// probe's permit goes back (G2).
#[derive(Debug)]
#[must_use = "the guards wait to hear how the attempt ended"]
pub struct AttemptPermit(PolicyGuards);

/// What follows from how an attempt ended.
#[derive(Debug)]
pub struct AttemptOutcome {
    /// What becomes of the task.
    pub verdict: Verdict,
    /// What its breaker did, if that changed it.
    pub change: Option<Transition>,
}

impl Claimed {
    /// Asks the policy's guards for leave to make an attempt.
    ///
    /// # Errors
    /// What becomes of the task if they refuse: it is put off until the breaker lets a probe
    /// through. That is no attempt (G2).
    pub fn leave(&self) -> Result<AttemptPermit, Verdict> {
        let mut guards = guard::for_policy(&self.policy);
        match guards.before_attempt(|| Real.now()) {
            Ok(()) => Ok(AttemptPermit(guards)),
            Err(rejection) => Err(put_off(&rejection)),
        }
    }

    /// AttemptPermit for an attempt that was begun in another process, or before this one was started. Its
    /// end is heard as if it had begun now; a breaker that is open hears nothing of it.
    pub fn remote_permit(&self) -> AttemptPermit {
        let mut guards = guard::for_policy(&self.policy);
        let _ = guards.before_attempt(|| Real.now());
        AttemptPermit(guards)
    }
}

impl AttemptPermit {
    /// Whether somebody waits to hear how this very attempt ended.
    #[must_use]
    pub const fn is_awaited(&self) -> bool {
        self.0.0.is_some()
    }

    /// The attempt succeeded, with this result as JSON.
    #[must_use]
    pub fn succeeded(self, result: Option<String>) -> AttemptOutcome {
        AttemptOutcome { change: self.tell_success(), verdict: Verdict::Completed { result } }
    }

    /// Has the guards hear that the attempt succeeded. What their breaker did, if that changed it.
    pub fn tell_success(mut self) -> Option<Transition> {
        self.0.after_success(|| Real.now())
    }

    /// The same for an attempt that failed, and what follows from it was decided.
    pub fn tell_failure(mut self, class: Class) -> Option<Transition> {
        self.0.after_failure(class, Real.now())
    }

    /// The attempt failed: the policy's rules judge it.
    #[must_use]
    pub fn failed(
        self,
        task: &Claimed,
        fault: Fault,
        circumstances: FailureContext,
    ) -> AttemptOutcome {
        let judgement = judge::judge(task.policy.rules(), &fault);
        self.failed_as(task, fault, judgement, circumstances)
    }

    /// The attempt failed, and was judged already.
    #[must_use]
    pub fn failed_as(
        mut self,
        task: &Claimed,
        fault: Fault,
        judgement: Judgement,
        circumstances: FailureContext,
    ) -> AttemptOutcome {
        let change = self.0.after_failure(judgement.class(), Real.now());
        let asked = &mut Asked(&mut self.0);
        AttemptOutcome { verdict: task.failed_as(fault, judgement, circumstances, asked), change }
    }
}

fn put_off(rejection: &Rejection) -> Verdict {
    let wait = rejection.retry_after.unwrap_or(ISOLATED);
    Verdict::Postponed { delay: spread(wait, fastrand::f64()) }
}

/// Somewhat later, by a draw from 0 to 1. A policy may have its breaker stay open for as long as
/// a duration can be (K4).
fn spread(wait: Duration, draw: f64) -> Duration {
    wait.saturating_add(wait.mul_f64(SPREAD * draw))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G2: tasks come back a little after the breaker's next probe, not all in one moment.
    #[test]
    fn tasks_come_back_a_little_later_than_the_probe() {
        let minute = Duration::from_secs(60);
        assert_eq!(spread(minute, 0.0), minute);
        assert_eq!(spread(minute, 0.5), Duration::from_secs(63));
    }

    /// K4: later than the longest wait is the longest wait.
    #[test]
    fn the_longest_wait_is_no_longer_than_it_can_be() {
        assert_eq!(spread(Duration::MAX, 1.0), Duration::MAX);
    }
}
