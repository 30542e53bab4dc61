//! Looking at it.

mod attempt;
mod breaker_state;
mod error;
mod event;
mod form;
mod id;
mod invalid;
#[cfg(feature = "metrics")]
mod measure;
mod record;
mod redact;
#[cfg(feature = "tracing")]
mod trace;
mod why;

pub use attempt::AttemptRecord;
pub use breaker_state::{CircuitBreakerState, CircuitState};
pub use error::ErrorRecord;
pub use event::{Event, EventType, Subject};
pub use id::{NoSessionId, SessionId};
pub use invalid::Invalid;
#[cfg(feature = "metrics")]
pub use measure::Metrics;
pub use record::Session;
pub use redact::{MASK, Redactor};
#[cfg(feature = "tracing")]
pub use trace::Traced;
pub use why::{DecidedBy, Why};

/// What accompanies every session without being asked for: its log, if the feature
/// `tracing` is on.
#[cfg(feature = "tracing")]
pub type Unasked = Traced;

/// What accompanies every session without being asked for: nothing, as the feature
/// `tracing` is off.
#[cfg(not(feature = "tracing"))]
pub type Unasked = ();
