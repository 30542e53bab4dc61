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
//!
//! ```
//! use std::time::Duration;
//!
//! use jiff::Timestamp;
//! use steadfast::observe::{
//!     ActiveSession, CircuitBreakerState, CircuitState, DecidedBy, ErrorRecord, Figures, Invalid,
//!     MASK, Memory, NoSessionId, Recorder, Redactor, SessionId, SessionState, Sessions, Share,
//!     Sink, Tally, Tracked, Why,
//! };
//! use steadfast::{Policy, retry};
//!
//! let noon: Timestamp = "2026-01-29T12:00:00Z".parse()?;
//! let policy = Policy::immediate().id("calls").build()?;
//! let sessions = Sessions::new();
//! let memory = Memory::default();
//!
//! // Whoever is under way can be seen, and called off.
//! let tracked: Tracked = sessions.track("billing.pay", &policy);
//! let seen: ActiveSession = sessions.get(tracked.id()).ok_or("under way")?;
//! assert_eq!(seen.state, SessionState::Starting);
//! assert_eq!(sessions.cancel_all(), 1);
//! drop(tracked);
//!
//! // What happened goes to a sink when it has ended.
//! let recorder = Recorder::new(&memory).starting_at(noon).redactor(Redactor::new().stack_traces(false));
//! retry(&policy, || Ok::<_, std::io::Error>(())).named("billing.pay").instrument(recorder).call()?;
//! let ended = memory.sessions();
//! assert_eq!(ended[0].retry_count(), 0);
//!
//! let mut tally = Tally::new(noon, noon + jiff::SignedDuration::from_hours(1));
//! assert!(tally.add(&ended[0]) && tally.add_rejected(noon, "calls", "billing.pay"));
//! let figures: Figures = tally.figures();
//! let share: &Share = &figures.by_subsystem["billing"];
//! assert_eq!(share.sessions, 2);
//!
//! // Secrets do not leave.
//! let mut words = String::from("password=hunter2");
//! Redactor::installed().clean(&mut words);
//! assert!(words.contains(MASK));
//! let error = ErrorRecord::new("TimeoutError", "slow").with_stack_trace("at main");
//! fn tell(sink: &impl Sink, session: steadfast::observe::Session) { sink.session(session) }
//!
//! // A record that is read is checked.
//! let unknown: NoSessionId = "x".parse::<SessionId>().unwrap_err();
//! let shut = CircuitBreakerState::new("calls", CircuitState::Open, 5, Duration::from_secs(60), noon)
//!     .with_failures(5, Some(noon));
//! let checked: Result<(), Invalid> = shut.validate();
//! assert_eq!(checked, Ok(()));
//! let why = Why::gave_up(&policy, None, steadfast::Reason::BreakerOpen);
//! assert_eq!(why.decided_by, DecidedBy::Breaker);
//! # let _ = (error, unknown, tell(&memory, ended[0].clone()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attempt;
mod attempts;
mod breaker_state;
mod clock;
mod error;
mod event;
#[cfg(feature = "file")]
mod expected;
mod id;
mod invalid;
#[cfg(feature = "metrics")]
mod measure;
mod metrics_summary;
mod record;
mod recorder;
mod redact;
pub(crate) mod serde_format;
mod sessions;
mod sink;
#[cfg(feature = "tracing")]
mod trace;
mod why;

pub use attempt::AttemptRecord;
pub use breaker_state::{CircuitBreakerState, CircuitState};
pub use error::ErrorRecord;
pub use event::{Event, EventType, Subject};
#[cfg(feature = "file")]
#[doc(hidden)]
pub use expected::Expected;
pub use id::{NoSessionId, SessionId};
pub use invalid::Invalid;
#[cfg(feature = "metrics")]
pub use measure::Metrics;
pub use metrics_summary::{GroupStats, MetricsSummary, SessionSum, Tally};
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
#[doc(hidden)]
pub type Unasked = Traced;

/// What accompanies every session without being asked for: nothing, as the feature
/// `tracing` is off.
#[cfg(not(feature = "tracing"))]
#[doc(hidden)]
pub type Unasked = ();
