//! The reasons for giving up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a session gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The error is final: a retry cannot succeed.
    Final,
    /// `max_attempts` is reached.
    AttemptsExhausted,
    /// The next attempt would start after the deadline.
    OutOfTime,
    /// The other side asked for a longer wait than the policy allows.
    HintTooLong,
    /// `max_rate_limit_waits` is reached.
    RateLimitWaitsExhausted,
    /// The attempt may have taken effect and is not safe to repeat.
    NotSafeToRetry,
    /// The retry budget is exhausted.
    BudgetExhausted,
    /// The circuit breaker rejected the attempt.
    BreakerOpen,
    /// The policy is disabled.
    Disabled,
    /// The outer session will retry.
    LeftToOuter,
    /// An inner session has already retried.
    RetriedInside,
    /// The session was cancelled.
    Cancelled,
}

impl Reason {
    /// Its name in JSON, rows and logs.
    ///
    /// ```
    /// assert_eq!(steadfast::Reason::OutOfTime.name(), "out_of_time");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::AttemptsExhausted => "attempts_exhausted",
            Self::OutOfTime => "out_of_time",
            Self::HintTooLong => "hint_too_long",
            Self::RateLimitWaitsExhausted => "rate_limit_waits_exhausted",
            Self::NotSafeToRetry => "not_safe_to_retry",
            Self::BudgetExhausted => "budget_exhausted",
            Self::BreakerOpen => "breaker_open",
            Self::Disabled => "disabled",
            Self::LeftToOuter => "left_to_outer",
            Self::RetriedInside => "retried_inside",
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}
