//! The plan of a policy: its attempts and delays, computed in advance.

use std::time::Duration;

use super::{SessionLimits, is_too_late};
use crate::Moment;
#[cfg(feature = "serde")]
use crate::duration::serde_seconds;
use crate::policy::Policy;

/// One attempt of a plan. In JSON, durations are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PlannedAttempt {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The delay before the attempt, without jitter.
    #[cfg_attr(feature = "serde", serde(with = "serde_seconds"))]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::__private::openapi::AnyDuration))]
    pub delay: Duration,
    /// The shortest delay before the attempt.
    #[cfg_attr(feature = "serde", serde(with = "serde_seconds"))]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::__private::openapi::AnyDuration))]
    pub min: Duration,
    /// The longest delay before the attempt.
    #[cfg_attr(feature = "serde", serde(with = "serde_seconds"))]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::__private::openapi::AnyDuration))]
    pub max: Duration,
    /// The shortest total of all delays up to the attempt.
    #[cfg_attr(feature = "serde", serde(with = "serde_seconds"))]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::__private::openapi::AnyDuration))]
    pub total_min: Duration,
    /// The longest total of all delays up to the attempt.
    #[cfg_attr(feature = "serde", serde(with = "serde_seconds"))]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::__private::openapi::AnyDuration))]
    pub total_max: Duration,
}

impl Policy {
    /// The attempts of a session in which each attempt fails immediately with a retryable fault. An
    /// attempt that would start after `max_duration`, even with the shortest waits, is left out (P5).
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
        let limits = SessionLimits::default();
        self.all_planned().take_while(move |it| {
            it.attempt == 1 || !is_too_late(self, &limits, Moment::ORIGIN + it.total_min)
        })
    }

    /// The remaining attempts of a session that has `used` attempts. The totals count from `due`,
    /// the time of the next attempt; an attempt that would start after the limits is left out.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::decide::SessionLimits;
    /// use steadfast::{Moment, Policy};
    ///
    /// let minute = Duration::from_secs(60);
    /// let policy = Policy::fixed(minute).max_attempts(9).max_duration(3 * minute).build()?;
    /// let left = policy.plan_after(1, SessionLimits::default(), Moment::ORIGIN + minute);
    /// let left: Vec<_> = left.map(|next| (next.attempt, next.total_min)).collect();
    /// assert_eq!(left, [(2, Duration::ZERO), (3, minute)]);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn plan_after(
        &self,
        used: u32,
        limits: SessionLimits,
        due: Moment,
    ) -> impl Iterator<Item = PlannedAttempt> + '_ {
        let mut before = None;
        let left = self.all_planned().skip(used as usize).map(move |next| {
            let (min, max) = *before.get_or_insert((next.total_min, next.total_max));
            let total_min = next.total_min.saturating_sub(min);
            PlannedAttempt { total_min, total_max: next.total_max.saturating_sub(max), ..next }
        });
        left.take_while(move |next| !is_too_late(self, &limits, due + next.total_min))
    }

    /// The attempts without regard to `max_duration`.
    fn all_planned(&self) -> impl Iterator<Item = PlannedAttempt> + '_ {
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
