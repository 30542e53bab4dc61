//! The limits of a command: time, grace and output.

use std::time::Duration;

use super::super::{HandlerError, payload};

/// The limits of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLimits {
    /// The timeout of a command that sets none; 10 minutes by default.
    pub timeout: Duration,
    /// The longest timeout that a command may set; a day by default.
    pub max_timeout: Duration,
    /// How long a terminated command has before it is killed; 5 seconds by default.
    pub grace: Duration,
    /// How many bytes of each output are stored, from the end; 64 KiB by default.
    pub max_output_bytes: usize,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10 * 60),
            max_timeout: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(5),
            max_output_bytes: 64 * 1024,
        }
    }
}

impl CommandLimits {
    /// The time limit of a command that requests this timeout.
    pub(super) fn time(&self, requested: Option<Duration>) -> Result<Duration, HandlerError> {
        payload::time_limit(requested, self.timeout, self.max_timeout)
    }
}
