//! How much a command may take.

use std::time::Duration;

use super::super::{HandlerFault, payload};

/// How much a command may take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLimits {
    /// How long a command may run that does not say; 10 minutes by default.
    pub timeout: Duration,
    /// How long a command may ask to run; a day by default.
    pub max_timeout: Duration,
    /// How long a command that is ended has to end by itself; 5 seconds by default.
    pub grace: Duration,
    /// How many bytes are kept of each of its outputs, from the end; 64 KiB by default.
    pub max_output: usize,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10 * 60),
            max_timeout: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(5),
            max_output: 64 * 1024,
        }
    }
}

impl CommandLimits {
    /// How long a command may run that asks for this.
    pub(super) fn time(&self, asked: Option<Duration>) -> Result<Duration, HandlerFault> {
        payload::time_limit(asked, self.timeout, self.max_timeout)
    }
}
