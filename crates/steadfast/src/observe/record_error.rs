//! The validation error of a record.

use std::fmt;

/// A record that violates a rule. Displayed as `attempts[1].attempt_number: must be at least 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordError {
    /// The path of the field.
    pub field: String,
    /// The violated rule.
    pub rule: String,
}

impl RecordError {
    pub(super) fn new(field: &str, rule: impl Into<String>) -> Self {
        Self { field: field.to_owned(), rule: rule.into() }
    }

    /// Prefixes the path.
    pub(super) fn within(mut self, path: &str) -> Self {
        self.field = format!("{path}.{}", self.field);
        self
    }

    pub(super) fn require(holds: bool, field: &str, rule: &str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(field, rule)) }
    }

    pub(super) fn require_non_empty(field: &str, text: &str) -> Result<(), Self> {
        Self::require(!text.is_empty(), field, "must not be empty")
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.rule)
    }
}

impl std::error::Error for RecordError {}
