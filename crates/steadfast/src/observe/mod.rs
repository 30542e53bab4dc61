//! Observability: logs, metrics, events and session records.
//!
//! [`Instrument`](crate::Instrument)s observe a session. The log is attached by default if the
//! feature `tracing` is on; the caller attaches the others.
//!
//! | instrument | reports | to |
//! |---|---|---|
//! | `Traced` (feature `tracing`) | each retry, give-up and late success | the log |
//! | `Metrics` (feature `metrics`) | counts | the exporter of the application |
//! | [`Recorder`] (feature `record`) | each [`Event`], and the whole [`Session`] when it ends | a [`Sink`] |
//! | [`Sessions`] (feature `record`) | the sessions in progress | the caller, which can also cancel them |
//!
//! [`Tally`] computes a [`MetricsSummary`] of the sessions that ended in a time window, and [`Why`]
//! explains a decision in words and as data. All output passes through a [`Redactor`].
//!
//! ```
//! # #[cfg(feature = "record")] {
//! use std::time::Duration;
//!
//! use jiff::Timestamp;
//! use steadfast::observe::{
//!     ActiveSession, CircuitBreakerState, CircuitState, DecidedBy, ErrorRecord, MetricsSummary, RecordError,
//!     MASK, Memory, SessionIdError, Recorder, Redactor, SessionId, SessionState, Sessions, GroupStats,
//!     Sink, Tally, Tracked, Why,
//! };
//! use steadfast::{Policy, retry};
//!
//! let noon: Timestamp = "2026-01-29T12:00:00Z".parse()?;
//! let policy = Policy::immediate().id("calls").build()?;
//! let sessions = Sessions::new();
//! let memory = Memory::default();
//!
//! // A session in progress is listed and can be cancelled.
//! let tracked: Tracked = sessions.track("billing.pay", &policy);
//! let active: ActiveSession = sessions.get(tracked.id()).ok_or("not in progress")?;
//! assert_eq!(active.state, SessionState::Starting);
//! assert_eq!(sessions.cancel_all(), 1);
//! drop(tracked);
//!
//! // A sink receives the record of a session when it ends.
//! let recorder = Recorder::new(&memory).starting_at(noon).redactor(Redactor::new().stack_traces(false));
//! retry(&policy, || Ok::<_, std::io::Error>(())).named("billing.pay").instrument(recorder).call()?;
//! let ended = memory.sessions();
//! assert_eq!(ended[0].retry_count(), 0);
//!
//! let mut tally = Tally::new(noon, noon + jiff::SignedDuration::from_hours(1));
//! assert!(tally.add(&ended[0]) && tally.add_rejected(noon, "calls", "billing.pay"));
//! let summary: MetricsSummary = tally.summary();
//! let stats: &GroupStats = &summary.by_subsystem["billing"];
//! assert_eq!(stats.sessions, 2);
//!
//! // Secrets are redacted.
//! let mut text = String::from("password=hunter2");
//! Redactor::installed().clean(&mut text);
//! assert!(text.contains(MASK));
//! let error = ErrorRecord::new("TimeoutError", "slow").with_stack_trace("at main");
//! fn send(sink: &impl Sink, session: steadfast::observe::Session) { sink.session(session) }
//!
//! // Records are validated when they are read.
//! let unknown: SessionIdError = "x".parse::<SessionId>().unwrap_err();
//! let breaker = CircuitBreakerState::new("calls", CircuitState::Open, 5, Duration::from_secs(60), noon)
//!     .with_failures(5, Some(noon));
//! let checked: Result<(), RecordError> = breaker.validate();
//! assert_eq!(checked, Ok(()));
//! let why = Why::gave_up(&policy, None, steadfast::Reason::BreakerOpen);
//! assert_eq!(why.decided_by, DecidedBy::Breaker);
//! # let _ = (error, unknown, send(&memory, ended[0].clone()));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "record")]
mod attempt;
#[cfg(feature = "record")]
mod attempt_log;
#[cfg(feature = "record")]
mod breaker_state;
#[cfg(feature = "record")]
mod clock;
#[cfg(feature = "record")]
mod error;
#[cfg(feature = "record")]
mod event;
mod id;
#[cfg(feature = "file")]
mod lazy_tracking;
#[cfg(feature = "metrics")]
mod measure;
#[cfg(feature = "record")]
mod metrics_summary;
#[cfg(feature = "record")]
mod record;
#[cfg(feature = "record")]
mod record_error;
#[cfg(feature = "record")]
mod recorder;
#[cfg(any(feature = "record", feature = "tracing"))]
mod redact;
#[cfg(feature = "record")]
pub(crate) mod serde_format;
#[cfg(feature = "record")]
mod sessions;
#[cfg(feature = "record")]
mod sink;
#[cfg(feature = "tracing")]
mod trace;
#[cfg(feature = "record")]
mod why;

#[cfg(feature = "record")]
pub use attempt::AttemptRecord;
#[cfg(feature = "record")]
pub use breaker_state::{CircuitBreakerState, CircuitState};
#[cfg(feature = "record")]
pub use error::ErrorRecord;
#[cfg(feature = "record")]
pub use event::{Event, EventType, Subject};
pub use id::{SessionId, SessionIdError};
#[cfg(feature = "file")]
pub(crate) use lazy_tracking::LazyTracked;
#[cfg(feature = "metrics")]
pub use measure::Metrics;
#[cfg(feature = "record")]
pub use metrics_summary::{GroupStats, MetricsSummary, SessionSum, Tally};
#[cfg(feature = "record")]
pub use record::Session;
#[cfg(feature = "record")]
pub use record_error::RecordError;
#[cfg(feature = "record")]
pub use recorder::Recorder;
#[cfg(any(feature = "record", feature = "tracing"))]
pub use redact::{MASK, Redactor};
#[cfg(feature = "record")]
pub use sessions::{ActiveSession, SessionState, Sessions, Tracked};
#[cfg(feature = "record")]
pub use sink::{Memory, Sink};
#[cfg(feature = "tracing")]
pub use trace::Traced;
#[cfg(feature = "record")]
pub use why::{DecidedBy, Why};

/// The instrument of every session: its log, as the feature `tracing` is on.
#[cfg(feature = "tracing")]
pub(crate) type DefaultInstrument = Traced;

/// The instrument of every session: none, as the feature `tracing` is off.
#[cfg(not(feature = "tracing"))]
pub(crate) type DefaultInstrument = ();
