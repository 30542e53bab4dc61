//! What an attempt failed with: how it ended, and what it said if that was asked about.

use std::fmt;

use steadfast::{Failure, Fault};

use super::ending::Ending;

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) ending: Ending,
    /// The pattern that a line of its output matched.
    pub(super) matched: Option<String>,
}

impl Failure for Failed {
    fn fault(&self) -> Fault {
        let fault = match self.ending {
            Ending::TimedOut => Fault::timed_out(),
            other => Fault::exit(i32::from(other.code())),
        };
        match (&self.matched, self.ending) {
            (Some(pattern), _) => fault.with_message(format!("its output matched {pattern}")),
            // The code says it all.
            (None, Ending::Exited(_)) => fault,
            (None, other) => fault.with_message(other.to_string()),
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ending.fmt(f)
    }
}

impl std::error::Error for Failed {}
