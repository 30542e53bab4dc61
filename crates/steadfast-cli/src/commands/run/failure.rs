//! The failure of an attempt: its status and the output pattern it matched.

use std::fmt;

use steadfast::{Failure, Fault};

use super::attempt_status::AttemptStatus;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandFailure {
    pub(super) status: AttemptStatus,
    /// The pattern that a line of its output matched.
    pub(super) matched: Option<String>,
}

impl Failure for CommandFailure {
    fn fault(&self) -> Fault {
        let fault = match self.status {
            AttemptStatus::TimedOut => Fault::timed_out(),
            other => Fault::exit(i32::from(other.code())),
        };
        match (&self.matched, self.status) {
            (Some(pattern), _) => fault.with_message(format!("output matched {pattern}")),
            // The exit code is the whole message.
            (None, AttemptStatus::Exited(_)) => fault,
            (None, other) => fault.with_message(other.to_string()),
        }
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status.fmt(f)
    }
}

impl std::error::Error for CommandFailure {}
