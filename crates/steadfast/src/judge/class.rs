//! The classes of faults.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The class of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A retry cannot succeed.
    Final,
    /// A retry may succeed after the backoff.
    Retryable,
    /// The other side throttles: the retry waits for its hint, or else for the backoff.
    RateLimited,
    /// The request may have taken effect; a retry is safe only if the operation is safe to repeat.
    UnknownOutcome,
}

impl Class {
    /// All classes, in order.
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
