//! What is still to come of a task (D18), before it is submitted and at any time after.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use steadfast::{Policy, Reason};

use crate::admit::{Admission, later};
use crate::task::{Status, StoredTask};

/// An attempt to come, if all before it fail with a retryable fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Planned {
    /// Its number.
    pub attempt: u32,
    /// The earliest that it can start.
    pub earliest: Timestamp,
    /// The latest that it is due, by the policy's jitter. How long attempts take is not in it.
    pub latest: Timestamp,
}

/// What would become of a task that is not submitted yet.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Preview {
    /// How it would be tried again.
    pub policy: Arc<Policy>,
    /// Why it would not be tried at all: what it brings along cannot be helped.
    pub ended: Option<Reason>,
    /// Every attempt, if all fail with a retryable fault. Those that would start too late are
    /// left out.
    pub attempts: Vec<Planned>,
}

impl Preview {
    pub(crate) fn of(task: &Admission, now: Timestamp) -> Self {
        let (draft, start) = (&task.draft, &task.head_start);
        let expires = draft.expires.map(|when| when.from(now));
        let mut attempts = match start.ended {
            Some(_) => Vec::new(),
            None => from(&task.policy, start.progress.attempts, draft.run.from(now)),
        };
        attempts.retain(|planned| expires.is_none_or(|end| planned.earliest < end));
        Self { policy: task.policy.clone(), ended: start.ended, attempts }
    }
}

/// Every attempt of a task under this policy, the first due at `first`.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use steadfast::Policy;
///
/// let policy = Policy::fixed(Duration::from_secs(7 * 86_400)).max_attempts(3).build()?;
/// let plan = steadfast_store::schedule(&policy, Timestamp::UNIX_EPOCH);
/// assert_eq!(plan.len(), 3);
/// assert_eq!(plan[2].earliest.to_string(), "1970-01-15T00:00:00Z");
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[must_use]
pub fn schedule(policy: &Policy, first: Timestamp) -> Vec<Planned> {
    from(policy, 0, first)
}

impl StoredTask {
    /// The attempts that are left, if all fail with a retryable fault; none if it has ended.
    /// Those that would start too late are left out.
    #[must_use]
    pub fn remaining(&self) -> Vec<Planned> {
        let Some(policy) = self.policy.as_ref().filter(|_| !self.status.is_ended()) else {
            return Vec::new();
        };
        let mut plan = from(policy, self.attempts, self.scheduled_at);
        plan.retain(|planned| self.expires_at.is_none_or(|end| planned.earliest < end));
        if self.status == Status::Running {
            // The one under way is not to come.
            plan.drain(..plan.len().min(1));
        }
        plan
    }
}

/// The attempts after `used` of them, the next due at `next`.
fn from(policy: &Policy, used: u32, next: Timestamp) -> Vec<Planned> {
    let mut attempts = policy.plan().skip(used as usize);
    let Some(first) = attempts.next() else {
        return Vec::new();
    };
    let at = |planned: steadfast::decide::PlannedAttempt| Planned {
        attempt: planned.attempt,
        earliest: later(next, planned.total_min.saturating_sub(first.total_min)),
        latest: later(next, planned.total_max.saturating_sub(first.total_max)),
    };
    std::iter::once(at(first)).chain(attempts.map(at)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    fn after(days: u32) -> Timestamp {
        later(Timestamp::UNIX_EPOCH, DAY * days)
    }

    /// D18, P6: S2's schedule of 7 and 14 days, as it is before the task is submitted.
    #[test]
    fn a_schedule_of_weeks_is_shown_before_it_begins() {
        let policy = steadfast::policy::Draft::new().schedule([DAY * 7, DAY * 14]).max_attempts(3);
        let policy = policy.build().unwrap();
        let due: Vec<_> = schedule(&policy, after(0)).iter().map(|one| one.earliest).collect();
        assert_eq!(due, [after(0), after(7), after(21)]);
    }

    /// D18: what was used up is not shown again, and the rest counts from the next due time.
    #[test]
    fn what_is_left_counts_from_the_next_attempt() {
        let policy = Policy::exponential(DAY).max_delay(DAY * 30).max_attempts(4).build().unwrap();
        let left = from(&policy, 2, after(10));
        let shown: Vec<_> = left.iter().map(|one| (one.attempt, one.earliest)).collect();
        assert_eq!(shown, [(3, after(10)), (4, after(14))]);
        assert_eq!(from(&policy, 4, after(10)), []);
    }
}
