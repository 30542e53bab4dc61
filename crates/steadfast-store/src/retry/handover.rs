//! From a session in a process to a task in a store (D12).
//!
//! A policy with a `durable` stage says: try here for seconds, and when that is used up go on
//! in the store for days. The session's error has everything that the task needs but what to
//! do, which only the caller can say in a form that outlives the process.

use steadfast::{GaveUp, Policy, Reason};

use crate::error::Result;
use crate::store::Store;
use crate::task::{Task, TaskId};

impl Store {
    /// Goes on with what a session gave up, under its policy's `durable` stage, as this task.
    /// The task keeps the session's failures as its history.
    ///
    /// Answers with nothing, and writes nothing, if there is nothing to go on with: the policy
    /// has no such stage, or the session ended for a reason that trying later cannot help.
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
    ///     assert!(id.is_some(), "it goes on in a week");
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
        if !may_go_on(gave_up.reason) {
            return Ok(None);
        }
        let mut task = task.under(stage.clone()).history(gave_up.failures.clone());
        if let (Reason::BreakerOpen, Some(shut)) = (gave_up.reason, gave_up.retry_after) {
            task = task.after(shut);
        }
        Ok(Some(self.submit(task).await?.id))
    }
}

/// Whether what ended a session in a process may be over by another day.
#[must_use]
pub const fn may_go_on(reason: Reason) -> bool {
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

    /// D12: what was used up may be there another day; what was decided stays decided.
    #[test]
    fn only_what_may_be_over_another_day_goes_on() {
        let goes_on = [
            Reason::AttemptsExhausted,
            Reason::OutOfTime,
            Reason::HintTooLong,
            Reason::RateLimitWaitsExhausted,
            Reason::BudgetExhausted,
            Reason::BreakerOpen,
        ];
        let ends = [
            Reason::Final,
            Reason::NotSafeToRetry,
            Reason::Disabled,
            Reason::LeftToOuter,
            Reason::RetriedInside,
            Reason::Cancelled,
        ];
        assert!(goes_on.into_iter().all(may_go_on));
        assert!(!ends.into_iter().any(may_go_on));
    }
}
