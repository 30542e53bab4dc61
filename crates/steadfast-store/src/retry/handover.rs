//! Handover of a session in a process to a task in a store (D12).
//!
//! A policy with a `durable` stage retries in the process for seconds, then in the store for days.
//! The session's error has everything that the task needs except the payload, which the caller
//! supplies.

use steadfast::{GaveUp, Policy, Reason};

use crate::error::Result;
use crate::store::Store;
use crate::task::{Task, TaskId};

impl Store {
    /// Submits this task for a session that gave up, under its policy's `durable` stage, with the
    /// session's failures as its history.
    ///
    /// Returns `None`, and writes nothing, if the policy has no such stage, or the session ended
    /// for a reason that a later retry cannot fix.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::policy::Draft;
    /// use steadfast::{Policy, retry};
    /// use steadfast_store::{Store, Task};
    ///
    /// # async fn example(store: &Store) -> Result<(), Box<dyn std::error::Error>> {
    /// let later = Draft::new().schedule([Duration::from_secs(7 * 86_400)]);
    /// let policy = Policy::immediate().max_attempts(3).durable(later).build()?;
    /// let send = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    ///
    /// if let Err(error) = retry(&policy, send).call() {
    ///     let task = Task::new("send-invoice", &42);
    ///     let id = store.hand_over(&policy, error.gave_up(), task).await?;
    ///     assert!(id.is_some(), "it is retried in a week");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub async fn hand_over(
        &self,
        policy: &Policy,
        gave_up: &GaveUp,
        task: Task,
    ) -> Result<Option<TaskId>> {
        let Some(stage) = policy.durable() else {
            return Ok(None);
        };
        if !can_hand_over(gave_up.reason) {
            return Ok(None);
        }
        let mut task = task.under(stage.clone()).history(gave_up.failures.clone());
        if let (Reason::BreakerOpen, Some(open_for)) = (gave_up.reason, gave_up.retry_after()) {
            task = task.after(open_for);
        }
        Ok(Some(self.submit(task).await?.id))
    }
}

/// Whether a session that ended for this reason can continue as a task.
#[must_use]
pub const fn can_hand_over(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::AttemptsExhausted
            | Reason::OutOfTime
            | Reason::HintTooLong
            | Reason::RateLimitWaitsExhausted
            | Reason::BudgetExhausted
            | Reason::BreakerOpen
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D12: exhausted limits can be handed over, final decisions cannot.
    #[test]
    fn only_exhausted_limits_are_handed_over() {
        let handed_over = [
            Reason::AttemptsExhausted,
            Reason::OutOfTime,
            Reason::HintTooLong,
            Reason::RateLimitWaitsExhausted,
            Reason::BudgetExhausted,
            Reason::BreakerOpen,
        ];
        let final_reasons = [
            Reason::Final,
            Reason::NotSafeToRetry,
            Reason::Disabled,
            Reason::LeftToOuter,
            Reason::RetriedInside,
            Reason::Cancelled,
        ];
        assert!(handed_over.into_iter().all(can_hand_over));
        assert!(!final_reasons.into_iter().any(can_hand_over));
    }
}
