//! What a policy will do, before it does it.

use std::time::Duration;

use crate::policy::Policy;

/// One attempt of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedAttempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// The wait before it, without jitter.
    pub delay: Duration,
    /// The shortest wait before it.
    pub min: Duration,
    /// The longest wait before it.
    pub max: Duration,
    /// All waits up to it, at their shortest.
    pub total_min: Duration,
    /// All waits up to it, at their longest.
    pub total_max: Duration,
}

impl Policy {
    /// Each attempt, when every one of them fails with a retryable fault.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::decide::PlannedAttempt;
    /// use steadfast::policy::Draft;
    ///
    /// let policy = Draft::preset("sql").unwrap().build()?;
    /// let second: PlannedAttempt = policy.plan().nth(1).unwrap();
    /// assert_eq!(second.min, Duration::from_millis(500));
    /// assert!(second.max <= Duration::from_millis(600));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn plan(&self) -> impl Iterator<Item = PlannedAttempt> + '_ {
        let attempts = if self.is_enabled() { self.max_attempts() } else { 1 };
        let timing = self.timing();
        let (mut shortest, mut longest) = (0, 0);
        let (mut total_min, mut total_max) = (Duration::ZERO, Duration::ZERO);
        (1..=attempts).map(move |attempt| {
            let mut planned = PlannedAttempt {
                attempt,
                delay: Duration::ZERO,
                min: Duration::ZERO,
                max: Duration::ZERO,
                total_min,
                total_max,
            };
            if attempt == 1 {
                return planned;
            }
            planned.delay = timing.base_delay(attempt - 1);
            planned.min = timing.delay(attempt - 1, &mut shortest, 0);
            planned.max = timing.delay(attempt - 1, &mut longest, u64::MAX);
            total_min = total_min.saturating_add(planned.min);
            total_max = total_max.saturating_add(planned.max);
            PlannedAttempt { total_min, total_max, ..planned }
        })
    }
}
