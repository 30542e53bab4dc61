//! A breaker at one moment, for monitoring (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::invalid::Invalid;
use super::serde_format::{self, read_only_if_valid};
use crate::guard::breaker::BreakerState;

/// Where a breaker stands, for whoever only knows three states.
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

/// A breaker that was isolated by hand rejects calls, so it is open.
impl From<BreakerState> for CircuitState {
    fn from(state: BreakerState) -> Self {
        match state {
            BreakerState::Closed => Self::Closed,
            BreakerState::Open | BreakerState::Isolated => Self::Open,
            BreakerState::HalfOpen => Self::HalfOpen,
        }
    }
}

/// The breaker of a policy at one moment.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct CircuitBreakerState {
    /// The policy.
    pub policy_id: String,
    /// Where its breaker stands.
    pub state: CircuitState,
    /// How many failures there were since it was last reset.
    pub failure_count: u64,
    /// When the last of them was.
    #[serde(with = "serde_format::maybe_time", default, skip_serializing_if = "Option::is_none")]
    pub last_failure_time: Option<Timestamp>,
    /// How many failures open it.
    pub threshold: u32,
    /// How long it stays open before it is tried whether it can close.
    #[serde(with = "serde_format::seconds")]
    pub timeout: Duration,
    /// When its state last changed: when it was made, if it never did.
    #[serde(with = "serde_format::time")]
    pub last_state_change: Timestamp,
}

read_only_if_valid!(CircuitBreakerState);

impl CircuitBreakerState {
    /// A breaker in this state since then, with no failure.
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

    /// The same, with this many failures, the last of them then.
    #[must_use]
    pub fn with_failures(mut self, count: u64, last: Option<Timestamp>) -> Self {
        (self.failure_count, self.last_failure_time) = (count, last);
        self
    }

    /// Whether it is one that can be relied on: a threshold of at least 1 and a timeout
    /// longer than nothing.
    ///
    /// # Errors
    /// The first field that is wrong, and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        Invalid::unless(self.threshold > 0, "threshold", "must be at least 1")?;
        Invalid::unless(!self.timeout.is_zero(), "timeout", "must be longer than 0")
    }
}
