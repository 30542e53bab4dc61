//! What is wrong with a record, and where.

use std::fmt;

/// A record that breaks a rule: reads as `attempts[1].attempt_number: must be at least 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invalid {
    /// The field, with the path to it.
    pub at: String,
    /// The rule that it breaks.
    pub what: String,
}

impl Invalid {
    pub(super) fn new(at: &str, what: impl Into<String>) -> Self {
        Self { at: at.to_owned(), what: what.into() }
    }

    /// The same, as seen from the record around it.
    pub(super) fn within(mut self, place: &str) -> Self {
        self.at = format!("{place}.{}", self.at);
        self
    }

    /// Refuses unless the rule holds.
    pub(super) fn unless(holds: bool, at: &str, what: &str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(at, what)) }
    }

    /// Refuses a text that is empty.
    pub(super) fn if_empty(at: &str, text: &str) -> Result<(), Self> {
        Self::unless(!text.is_empty(), at, "must not be empty")
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl std::error::Error for Invalid {}
