//! A snapshot of a breaker, for monitoring (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record_error::RecordError;
use super::serde_format::{self, deserialize_validated};
use crate::guard::breaker::BreakerState;

/// A breaker's state, reduced to the usual three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CircuitState {
    /// Calls pass.
    Closed,
    /// Calls are rejected.
    Open,
    /// A few calls pass, as probes.
    HalfOpen,
}

/// An isolated breaker rejects calls, so it is open; a disabled one permits them, so it is closed.
impl From<BreakerState> for CircuitState {
    fn from(state: BreakerState) -> Self {
        match state {
            BreakerState::Closed | BreakerState::Disabled => Self::Closed,
            BreakerState::Open | BreakerState::Isolated => Self::Open,
            BreakerState::HalfOpen => Self::HalfOpen,
        }
    }
}

/// A snapshot of a policy's breaker.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use steadfast::guard::breaker::BreakerState;
/// use steadfast::observe::CircuitBreakerState;
///
/// let began = Timestamp::UNIX_EPOCH;
/// let mut breaker =
///     CircuitBreakerState::new("browser", BreakerState::Closed, 5, Duration::from_secs(60), began);
/// breaker.failure_count = 2;
/// let json = serde_json::to_value(&breaker)?;
/// assert_eq!((&json["state"], &json["timeout"]), (&"closed".into(), &60.0.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CircuitBreakerState {
    /// The policy.
    pub policy_id: String,
    /// The breaker's state.
    pub state: CircuitState,
    /// Failures since the last reset.
    pub failure_count: u64,
    /// The time of the last failure.
    pub last_failure_time: Option<Timestamp>,
    /// Failures that open it.
    pub threshold: u32,
    /// The time it stays open before it lets probes through.
    pub timeout: Duration,
    /// The time of the last state change, or of its creation.
    pub last_state_change: Timestamp,
}

/// The fields of [`CircuitBreakerState`] as data. With `remote = "Self"` the derived functions would be public.
#[derive(Serialize, Deserialize)]
#[serde(remote = "CircuitBreakerState")]
struct CircuitBreakerStateFields {
    policy_id: String,
    state: CircuitState,
    failure_count: u64,
    #[serde(with = "serde_format::maybe_time", default, skip_serializing_if = "Option::is_none")]
    last_failure_time: Option<Timestamp>,
    threshold: u32,
    #[serde(with = "serde_format::seconds")]
    timeout: Duration,
    #[serde(with = "serde_format::time")]
    last_state_change: Timestamp,
}

deserialize_validated!(CircuitBreakerState, CircuitBreakerStateFields);

impl CircuitBreakerState {
    /// A breaker in this state, without failures.
    #[must_use]
    pub fn new(
        policy_id: impl Into<String>,
        state: impl Into<CircuitState>,
        threshold: u32,
        timeout: Duration,
        last_state_change: Timestamp,
    ) -> Self {
        Self {
            policy_id: policy_id.into(),
            state: state.into(),
            failure_count: 0,
            last_failure_time: None,
            threshold,
            timeout,
            last_state_change,
        }
    }

    /// Sets the number of failures and the time of the last.
    #[must_use]
    pub fn with_failures(mut self, count: u64, last: Option<Timestamp>) -> Self {
        (self.failure_count, self.last_failure_time) = (count, last);
        self
    }

    /// Validates the snapshot: a threshold of at least 1 and a timeout above 0.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn validate(&self) -> Result<(), RecordError> {
        RecordError::require(self.threshold > 0, "threshold", "must be at least 1")?;
        RecordError::require(!self.timeout.is_zero(), "timeout", "must be longer than 0")
    }
}
