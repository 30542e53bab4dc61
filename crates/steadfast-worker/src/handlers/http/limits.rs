//! The limits of an HTTP call: time and response size.

use std::time::Duration;

use super::super::{HandlerError, payload};

/// The limits of an HTTP call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// The connect timeout; 10 seconds by default.
    pub connect_timeout: Duration,
    /// The timeout of a call that sets none; 30 seconds by default.
    pub timeout: Duration,
    /// The longest timeout that a call may set; 10 minutes by default.
    pub max_timeout: Duration,
    /// How many bytes of a response body are read; 1 MiB by default.
    pub max_response_bytes: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            max_timeout: Duration::from_secs(10 * 60),
            max_response_bytes: 1 << 20,
        }
    }
}

impl HttpLimits {
    /// The time limit of a call that requests this timeout.
    pub(super) fn time(&self, requested: Option<Duration>) -> Result<Duration, HandlerError> {
        payload::time_limit(requested, self.timeout, self.max_timeout)
    }
}
