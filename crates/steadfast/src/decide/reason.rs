//! The reasons for giving up.

use crate::named_enum::named_enum;

named_enum! {
    /// Why a session gave up.
    ///
    /// ```
    /// assert_eq!(steadfast::Reason::OutOfTime.name(), "out_of_time");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(description = "Why a task or session failed."))]
    #[non_exhaustive]
    pub enum Reason by name {
        /// The error is final: a retry cannot succeed.
        Final = "final",
        /// `max_attempts` is reached.
        AttemptsExhausted = "attempts_exhausted",
        /// The next attempt would start after the deadline.
        OutOfTime = "out_of_time",
        /// The other side asked for a longer wait than the policy allows.
        HintTooLong = "hint_too_long",
        /// `max_rate_limit_waits` is reached. Only in records of earlier versions: beyond that
        /// number a hinted wait now consumes an attempt.
        RateLimitWaitsExhausted = "rate_limit_waits_exhausted",
        /// The attempt may have taken effect and is not safe to repeat.
        NotSafeToRetry = "not_safe_to_retry",
        /// The retry budget is exhausted.
        BudgetExhausted = "budget_exhausted",
        /// The circuit breaker rejected the attempt.
        BreakerOpen = "breaker_open",
        /// The policy is disabled.
        Disabled = "disabled",
        /// The outer session will retry.
        LeftToOuter = "left_to_outer",
        /// An inner session has already retried.
        RetriedInside = "retried_inside",
        /// The session was cancelled.
        Cancelled = "cancelled",
    }
}

impl Reason {
    /// The reason in a few words, for tables and log lines.
    ///
    /// ```
    /// assert_eq!(steadfast::Reason::Final.label(), "not retryable");
    /// ```
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Final => "not retryable",
            Self::AttemptsExhausted => "attempts exhausted",
            Self::OutOfTime => "out of time",
            Self::HintTooLong => "requested wait too long",
            Self::RateLimitWaitsExhausted => "too many rate-limit waits",
            Self::NotSafeToRetry => "not safe to retry",
            Self::BudgetExhausted => "budget exhausted",
            Self::BreakerOpen => "breaker open",
            Self::Disabled => "policy disabled",
            Self::LeftToOuter => "left to the outer session",
            Self::RetriedInside => "retried by an inner session",
            Self::Cancelled => "cancelled",
        }
    }

    /// The reason as a phrase for messages.
    pub(crate) const fn phrase(self) -> &'static str {
        match self {
            Self::Final => "the error is not retryable",
            Self::AttemptsExhausted => "attempts exhausted",
            Self::OutOfTime => "no time left for the next attempt",
            Self::HintTooLong => "the requested wait is longer than the policy allows",
            Self::RateLimitWaitsExhausted => "too many rate-limit waits",
            Self::NotSafeToRetry => "the attempt may have taken effect and is not safe to repeat",
            Self::BudgetExhausted => "the retry budget is exhausted",
            Self::BreakerOpen => "the circuit breaker is open",
            Self::Disabled => "the policy is disabled",
            Self::LeftToOuter => "the outer session will retry",
            Self::RetriedInside => "an inner session has already retried",
            Self::Cancelled => "cancelled",
        }
    }
}
