//! The drivers, which run an operation under a policy.
//!
//! There are two: `blocking.rs` blocks the thread, `future.rs` is a future. Both share one session:
//! judging, deciding, reporting to guards and recording failures are implemented once, in
//! `session.rs`; a driver only runs attempts and waits.

#![allow(clippy::type_complexity, reason = "the settings of a call are type parameters")]

mod attempt;
mod blocking;
mod caller_context;
mod cancel;
mod context;
mod environment;
mod error;
mod first_attempt;
mod future;
mod hooks;
mod instrument;
mod judges;
mod key;
mod nested;
mod operation;
mod probe;
mod report;
mod retries;
mod retry;
mod session;
mod session_state;

pub use attempt::Attempt;
pub use caller_context::{Context, retry_with_context};
pub use cancel::CancelHandle;
pub use environment::{BlockingSleeper, Environment, Real, Sleeper};
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub(crate) use error::Last;
pub use error::{FailedAttempt, GaveUp, RetryError};
pub use hooks::AttemptFailed;
pub use instrument::{EventKind, Instrument, SessionEvent};
pub use key::Key;
pub use probe::Effect;
pub use report::Report;
pub use retry::{Retry, retry};

// The parts of a call's type, which is always inferred.
#[doc(hidden)]
pub use caller_context::InContext;
#[doc(hidden)]
pub use cancel::Cancellable;
#[doc(hidden)]
pub use environment::{Named, Seeded, SleepBy};
#[doc(hidden)]
pub use hooks::{Hook, OnRetry};
#[doc(hidden)]
pub use judges::{
    AnyValue, ClassOverride, ErrorFacts, FactsSource, FromFn, Judges, JudgesOf, NoOverride,
    OwnFacts, Until, ValueFacts, When,
};
#[cfg(feature = "sqlx")]
pub(crate) use operation::Known;
#[doc(hidden)]
pub use operation::{Async, AsyncOperation, Blocking, BlockingOperation, Callable, Keyed, NoKey};
#[doc(hidden)]
pub use probe::{AsyncProbe, BlockingProbe, NoProbe, Probes};
#[cfg(feature = "record")]
#[doc(hidden)]
pub use report::Recorded;
#[doc(hidden)]
pub use report::{Outcome, ValueOnly, WithReport};
