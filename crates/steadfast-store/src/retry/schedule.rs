//! The schedule of a task: its future attempts (D18).

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::decide::SessionLimits;
use steadfast::{Policy, Reason};

use crate::queue::submit::{CheckedTask, later};
use crate::retry::decision::moment;
use crate::task::{Status, StoredTask};

/// Whether a policy retries nothing but attempts whose worker was lost (W4): every fault is final.
#[must_use]
pub fn retries_only_lost_workers(policy: &Policy) -> bool {
    let rules = policy.rules();
    let aborts_all = rules.abort_on().iter().any(|rule| rule.as_str().eq_ignore_ascii_case("any"));
    aborts_all && rules.retry_on().is_none_or(<[_]>::is_empty)
}

/// The number of listed attempts: a policy can have four billion.
const MAX_SHOWN_ATTEMPTS: usize = 100;

/// A future attempt, if all before it fail with a retryable fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NextAttempt {
    /// The number of the attempt.
    pub attempt: u32,
    /// The earliest start.
    pub earliest: Timestamp,
    /// The latest start, with jitter.
    pub latest: Timestamp,
}

/// The future attempts, if all fail with a retryable fault, without those that would start too late.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Schedule {
    /// The first hundred of them.
    pub attempts: Vec<NextAttempt>,
    /// The maximum number of further attempts.
    pub more: u32,
}

/// The preview of a task before its submission.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Preview {
    /// Its retry policy.
    pub policy: Arc<Policy>,
    /// The reason why it would fail at once, because of its prior failure.
    pub ended: Option<Reason>,
    /// Its schedule.
    pub schedule: Schedule,
}

impl Preview {
    pub(crate) fn of(task: &CheckedTask, now: Timestamp) -> Self {
        let (draft, prior) = (&task.draft, &task.prior);
        let expires_at = draft.expires.map(|when| when.from(now));
        let (used, first) = (prior.progress.attempts, draft.run.from(now));
        let counted_from = if prior.faults.is_empty() { now.max(first) } else { now };
        let schedule = match prior.ended {
            Some(_) => Schedule::default(),
            None => Upcoming { counted_from, expires_at, used }.under(&task.policy, first, 0),
        };
        Self { policy: task.policy.clone(), ended: prior.ended, schedule }
    }
}

/// The attempts of a task under this policy, the first due at `first`.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use steadfast::Policy;
///
/// let policy = Policy::fixed(Duration::from_secs(7 * 86_400)).max_attempts(3).build()?;
/// let plan = steadfast_store::schedule(&policy, Timestamp::UNIX_EPOCH);
/// assert_eq!(plan.attempts.len(), 3);
/// assert_eq!(plan.attempts[2].earliest.to_string(), "1970-01-15T00:00:00Z");
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[must_use]
pub fn schedule(policy: &Policy, first: Timestamp) -> Schedule {
    Upcoming { counted_from: first, expires_at: None, used: 0 }.under(policy, first, 0)
}

impl StoredTask {
    /// The remaining attempts; empty if it has ended.
    #[must_use]
    pub fn remaining(&self) -> Schedule {
        let Some(policy) = self.policy.as_ref().filter(|_| !self.status.is_ended()) else {
            return Schedule::default();
        };
        let Self { counted_from, expires_at, attempts: used, .. } = *self;
        // The running attempt is not a future one.
        let skipped = usize::from(self.status == Status::Running);
        Upcoming { counted_from, expires_at, used }.under(policy, self.scheduled_at, skipped)
    }
}

/// The inputs of a schedule other than the policy.
struct Upcoming {
    counted_from: Timestamp,
    expires_at: Option<Timestamp>,
    used: u32,
}

impl Upcoming {
    /// The attempts from `next` on, without the first `skipped`.
    fn under(self, policy: &Policy, next: Timestamp, skipped: usize) -> Schedule {
        let started = moment(self.counted_from);
        let expires_at = self.expires_at.map(moment);
        let limits = SessionLimits::IN_STORE.started(started).expires_at(expires_at);
        let planned = if retries_only_lost_workers(policy) { 1 } else { usize::MAX };
        let plan = policy.plan_after(self.used, limits, moment(next));
        let mut plan = plan.take(planned).skip(skipped);
        let attempts = plan.by_ref().take(MAX_SHOWN_ATTEMPTS).map(|planned| NextAttempt {
            attempt: planned.attempt,
            earliest: later(next, planned.total_min),
            latest: later(next, planned.total_max),
        });
        let attempts = attempts.collect();
        let more = plan.next().map_or(0, |first| policy.max_attempts() - first.attempt + 1);
        Schedule { attempts, more }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    fn after(days: u32) -> Timestamp {
        later(Timestamp::UNIX_EPOCH, DAY * days)
    }

    /// The attempts that remain ten days after the submission, without an expiry.
    fn left(policy: &Policy, used: u32, skipped: usize) -> Vec<(u32, Timestamp)> {
        let coming = Upcoming { counted_from: after(0), expires_at: None, used };
        let left = coming.under(policy, after(10), skipped).attempts;
        left.iter().map(|one| (one.attempt, one.earliest)).collect()
    }

    /// D18, P6: S2's schedule of 7 and 14 days, as it is before the task is submitted.
    #[test]
    fn schedule_of_weeks_is_shown_before_submission() {
        let policy = steadfast::policy::Draft::new().schedule([DAY * 7, DAY * 14]).max_attempts(3);
        let policy = policy.build().unwrap();
        let due: Vec<_> =
            schedule(&policy, after(0)).attempts.iter().map(|one| one.earliest).collect();
        assert_eq!(due, [after(0), after(7), after(21)]);
    }

    /// D18: past attempts are not listed, and the rest counts from the next due time.
    #[test]
    fn remaining_attempts_count_from_the_next_due_time() {
        let policy = Policy::exponential(DAY).max_delay(DAY * 30).max_attempts(4).build().unwrap();
        assert_eq!(left(&policy, 2, 0), [(3, after(10)), (4, after(14))]);
        assert_eq!(left(&policy, 2, 1), [(4, after(14))], "one is running");
        assert_eq!(left(&policy, 4, 0), []);
    }

    /// D18, W4: no failure is retried, so no attempt follows the next one.
    #[test]
    fn retries_after_lost_workers_are_not_planned() {
        let once = Policy::immediate().max_attempts(4).abort_on(["any"]).build().unwrap();
        assert_eq!(left(&once, 0, 0), [(1, after(10))]);
        assert_eq!(left(&once, 0, 1), [], "it is running");
        let some = Policy::fixed(DAY).max_attempts(3).abort_on(["any"]).retry_on(["5xx"]);
        assert_eq!(left(&some.build().unwrap(), 0, 0).len(), 3);
    }

    /// D18, P5: attempts beyond max_duration are not listed. It counts from the first due time, or
    /// the last fresh requeue.
    #[test]
    fn attempts_beyond_the_deadline_are_not_listed() {
        let policy = Policy::fixed(DAY).max_attempts(10).max_duration(DAY * 12).build().unwrap();
        assert_eq!(schedule(&policy, after(3)).attempts.len(), 10);
        assert_eq!(left(&policy, 1, 0), [(2, after(10)), (3, after(11))]);
        // An operator ran two attempts at once, so the third is due earlier than planned.
        let hurried = Policy::fixed(DAY * 11).max_attempts(10).max_duration(DAY * 12);
        assert_eq!(left(&hurried.build().unwrap(), 2, 0), [(3, after(10))]);
    }

    /// D18, K4: an endless schedule is listed in part.
    #[test]
    fn endless_schedule_is_listed_in_part() {
        let endless = Policy::fixed(DAY).max_attempts(u32::MAX);
        let listed = schedule(&endless.clone().build().unwrap(), after(0));
        assert_eq!((listed.attempts.len(), listed.more), (100, u32::MAX - 100));
        assert_eq!(listed.attempts[99].attempt, 100);
        let exact = schedule(&endless.max_attempts(100).build().unwrap(), after(0));
        assert_eq!((exact.attempts.len(), exact.more), (100, 0));
    }
}
