//! The error of a component, with a hint.

use std::fmt;

/// The error of a component, with a hint.
#[derive(Clone)]
pub struct Error {
    what: String,
    next: String,
}

impl Error {
    pub(crate) fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: next.into() }
    }

    /// What went wrong, and where.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to do about it.
    pub fn next(&self) -> &str {
        &self.next
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  next: {}", self.what, self.next)
    }
}

/// The same as `Display`, because a test that unwraps it shows this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
