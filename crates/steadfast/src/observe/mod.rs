//! Looking at it: the log, the figures, the events and the record of what happened.
//!
//! A session is watched by [`Instrument`](crate::Instrument)s. One is there without being
//! asked for, if the feature `tracing` is on; the others are given to the session.
//!
//! | | tells | to |
//! |---|---|---|
//! | `Traced` (feature `tracing`) | each retry, give-up and late success | the log |
//! | `Metrics` (feature `metrics`) | counts | whatever exporter the program has |
//! | [`Recorder`] | each [`Event`], and the whole [`Session`] when it ends | a [`Sink`] |
//! | [`Sessions`] | which sessions are under way | whoever asks; it can call one off, too |
//!
//! [`Tally`] makes [`Figures`] of the sessions that ended in a window of time, and [`Why`]
//! says in words and as data why an attempt was decided as it was. Nothing leaves here but
//! through a [`Redactor`].

mod attempt;
mod attempts;
mod breaker_state;
mod clock;
mod error;
mod event;
mod figures;
mod form;
mod id;
mod invalid;
#[cfg(feature = "metrics")]
mod measure;
mod record;
mod recorder;
mod redact;
mod sessions;
mod sink;
#[cfg(feature = "tracing")]
mod trace;
mod why;

pub use attempt::AttemptRecord;
pub use breaker_state::{CircuitBreakerState, CircuitState};
pub use error::ErrorRecord;
pub use event::{Event, EventType, Subject};
pub use figures::{Figures, Share, Tally};
pub use id::{NoSessionId, SessionId};
pub use invalid::Invalid;
#[cfg(feature = "metrics")]
pub use measure::Metrics;
pub use record::Session;
pub use recorder::Recorder;
pub use redact::{MASK, Redactor};
pub use sessions::{ActiveSession, SessionState, Sessions, Tracked};
pub use sink::{Memory, Sink};
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
