//! Why a session ended without success.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why it was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The error is one that trying again cannot help.
    Final,
    /// All attempts were used.
    AttemptsExhausted,
    /// The next attempt could not have started in time.
    OutOfTime,
    /// The other side asked for more patience than the policy has.
    HintTooLong,
    /// The other side asked for patience too often.
    RateLimitWaitsExhausted,
    /// The attempt may have taken effect, and doing it twice is not safe.
    NotSafeToRetry,
    /// The budget that all retries share had nothing left.
    BudgetExhausted,
    /// The breaker let no attempt through.
    BreakerOpen,
    /// The policy is switched off.
    Disabled,
    /// The session around this one will retry.
    LeftToOuter,
    /// A session inside this one has retried already.
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

    /// The reason as words in a sentence.
    pub(crate) const fn phrase(self) -> &'static str {
        match self {
            Self::Final => "the error is final",
            Self::AttemptsExhausted => "all attempts are used up",
            Self::OutOfTime => "the next attempt could not start in time",
            Self::HintTooLong => "the asked-for wait is longer than the policy allows",
            Self::RateLimitWaitsExhausted => "it was asked to wait too often",
            Self::NotSafeToRetry => "it may have taken effect and is not safe to repeat",
            Self::BudgetExhausted => "the retry budget is exhausted",
            Self::BreakerOpen => "the breaker is open",
            Self::Disabled => "the policy is disabled",
            Self::LeftToOuter => "the session around it will retry",
            Self::RetriedInside => "a session inside it has retried already",
            Self::Cancelled => "it was cancelled",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}
