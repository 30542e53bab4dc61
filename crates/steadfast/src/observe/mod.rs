//! Looking at it.

mod id;
#[cfg(feature = "metrics")]
mod measure;
#[cfg(feature = "tracing")]
mod trace;

pub use id::{NoSessionId, SessionId};
#[cfg(feature = "metrics")]
pub use measure::Metrics;

#[cfg(feature = "tracing")]
pub use trace::Traced;

/// What accompanies every session without being asked for: its log, if the feature
/// `tracing` is on.
#[cfg(feature = "tracing")]
pub type Unasked = Traced;

/// What accompanies every session without being asked for: nothing, as the feature
/// `tracing` is off.
#[cfg(not(feature = "tracing"))]
pub type Unasked = ();
