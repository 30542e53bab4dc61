//! How much a call may take.

use std::time::Duration;

use super::super::{HandlerFault, payload};

/// How much a call may take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// How long it may take to connect; 10 seconds by default.
    pub connect_timeout: Duration,
    /// How long a call may take that does not say; 30 seconds by default.
    pub timeout: Duration,
    /// How long a call may ask to take; 10 minutes by default.
    pub max_timeout: Duration,
    /// How many bytes of an answer's body are read; 1 MiB by default.
    pub max_answer: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            max_timeout: Duration::from_secs(10 * 60),
            max_answer: 1 << 20,
        }
    }
}

impl HttpLimits {
    /// How long a call may take that asks for this.
    pub(super) fn time(&self, asked: Option<Duration>) -> Result<Duration, HandlerFault> {
        payload::time_limit(asked, self.timeout, self.max_timeout)
    }
}
