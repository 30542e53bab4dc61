//! What a fault means for the session.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The judgement of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Trying again cannot help.
    Final,
    /// Trying again may help, after the backoff.
    Retryable,
    /// The other side asked for patience: its hint is waited for, else the backoff.
    RateLimited,
    /// The request may have taken effect; trying again is safe only if doing it
    /// twice is.
    UnknownOutcome,
}

impl Class {
    /// Every class, in order.
    pub const ALL: [Self; 4] =
        [Self::Final, Self::Retryable, Self::RateLimited, Self::UnknownOutcome];

    /// Its name in files, rows and JSON.
    ///
    /// ```
    /// assert_eq!(steadfast::Class::RateLimited.name(), "rate_limited");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::Retryable => "retryable",
            Self::RateLimited => "rate_limited",
            Self::UnknownOutcome => "unknown_outcome",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}
