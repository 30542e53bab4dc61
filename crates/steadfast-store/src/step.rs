//! What follows from a failed attempt of a task.
//!
//! This is the whole of what a store knows about retrying: it hands the task's policy, its
//! progress and the store's time to [`decide`](steadfast::decide) and writes down the answer.
//! Workers here, workers elsewhere and the service that finds lost workers all come through
//! this one door.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::decide::{Decision, Progress, Surroundings, Terms};
use steadfast::judge::{self, Judgement};
use steadfast::observe::{Redactor, Why};
use steadfast::{Fault, Kind, Moment, Policy, Reason};

use crate::claim::Claimed;
use crate::settle::Verdict;
use crate::task::FaultRecord;

/// What is asked of whoever lets a task fail.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The store's time.
    pub now: Timestamp,
    /// Whether the attempt handed the task's key on, so that repeating it is safe (J9).
    pub key_in_use: bool,
}

/// The fault of an attempt whose worker was not heard of any more (D7). It may have taken
/// effect.
#[must_use]
pub fn worker_lost(owner: &str) -> Fault {
    let message = format!("worker `{owner}` was lost: its lease expired");
    Fault::of(Kind::WorkerLost).with_message(message).with_unknown_outcome()
}

impl Claimed {
    /// Judges the fault of the attempt under way and decides what follows.
    #[must_use]
    pub fn failed(
        &self,
        fault: Fault,
        circumstances: Circumstances,
        surroundings: &mut impl Surroundings,
    ) -> Verdict {
        let judgement = judge::judge(self.policy.rules(), &fault);
        self.failed_as(fault, judgement, circumstances, surroundings)
    }

    /// The same for a fault that was judged already.
    #[must_use]
    pub fn failed_as(
        &self,
        fault: Fault,
        judgement: Judgement,
        circumstances: Circumstances,
        surroundings: &mut impl Surroundings,
    ) -> Verdict {
        let mut progress = self.progress;
        let terms = self.terms(circumstances.key_in_use);
        let now = moment(circumstances.now);
        let decision = progress.decide(&self.policy, &terms, now, &judgement, surroundings);
        let attempt = self.progress.attempt();
        let record = |delay| {
            let told = Told { attempt, at: circumstances.now, judgement, delay };
            Box::new(told.record(&self.policy, fault))
        };
        match decision {
            Decision::Retry(delay) => Verdict::Retry {
                fault: record(Ok(delay)),
                progress,
                delay,
                hold: self.hold_category && judgement.hint().is_some(),
            },
            Decision::GiveUp(reason) => {
                Verdict::Failed { fault: Some(record(Err(reason))), progress, reason }
            }
        }
    }

    /// Whether it is too late to start an attempt.
    #[must_use]
    pub fn is_too_late(&self, now: Timestamp) -> bool {
        let deadline = steadfast::decide::deadline(&self.policy, &self.terms(false));
        deadline.is_some_and(|deadline| moment(now) >= deadline)
    }

    /// The verdict on a task that is [too late](Self::is_too_late).
    #[must_use]
    pub fn too_late(&self) -> Verdict {
        Verdict::Failed { fault: None, progress: self.progress, reason: Reason::OutOfTime }
    }

    /// How long the attempt that starts now may take.
    #[must_use]
    pub fn attempt_limit(&self, now: Timestamp) -> Option<Duration> {
        Progress::attempt_limit(&self.policy, &self.terms(false), moment(now))
    }

    fn terms(&self, key_in_use: bool) -> Terms {
        Terms {
            started: moment(self.counted_from),
            expires_at: self.expires_at.map(moment),
            max_hint: None,
            key_in_use,
        }
    }
}

/// The store's time as the core counts it: since 1970.
pub(crate) fn moment(time: Timestamp) -> Moment {
    Moment::from_nanos(u64::try_from(time.as_nanosecond()).unwrap_or_default())
}

/// What is known of a failure once it is decided.
pub(crate) struct Told {
    pub(crate) attempt: u32,
    pub(crate) at: Timestamp,
    pub(crate) judgement: Judgement,
    pub(crate) delay: Result<Duration, Reason>,
}

impl Told {
    /// As it is kept. No secret reaches a row (O5).
    pub(crate) fn record(self, policy: &Policy, mut fault: Fault) -> FaultRecord {
        Redactor::installed().fault(&mut fault);
        let judgement = self.judgement;
        let why = match self.delay {
            Ok(delay) => Why::retried(policy, judgement, self.attempt, delay),
            Err(reason) => Why::gave_up(policy, Some(judgement), reason),
        };
        FaultRecord {
            attempt: self.attempt,
            at: self.at,
            class: judgement.class(),
            // PostgreSQL keeps no U+0000 in a text.
            message: fault.to_string().replace('\0', "\u{fffd}"),
            fault,
            why: Some(why),
            next_delay: self.delay.ok().map(|delay| delay.as_secs_f64()),
        }
    }
}
