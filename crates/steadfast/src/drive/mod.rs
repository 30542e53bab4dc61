//! The drivers: an operation, a policy, and the world around them.
//!
//! Two drivers, one that blocks the thread and one that is a future, over one
//! session: what is judged, decided, told to guards and remembered is written
//! once, in `session.rs`; a driver only knows how to run an attempt and how to
//! wait.

#![allow(clippy::type_complexity, reason = "what is said of a call is its type")]

mod attempt;
mod blocking;
mod cancel;
mod environment;
mod error;
mod future;
mod hooks;
mod instrument;
mod judges;
mod key;
mod nested;
mod operation;
mod probe;
mod report;
mod retry;
mod session;
mod session_state;

pub use attempt::Attempt;
pub use cancel::CancelHandle;
pub use environment::{BlockingSleeper, Environment, Real, Sleeper};
pub use error::{FailedAttempt, GaveUp, RetryError};
pub use instrument::{EventKind, Instrument, SessionEvent};
pub use key::Key;
pub use probe::Effect;
pub use report::Report;
pub use retry::{Retry, retry};

// What a call's type is made of. It is inferred, never written.
#[doc(hidden)]
pub use cancel::Cancellable;
#[doc(hidden)]
pub use environment::{Named, Seeded};
#[doc(hidden)]
pub use future::RetryFuture;
#[doc(hidden)]
pub use hooks::Hook;
#[doc(hidden)]
pub use judges::{Any, By, Facts, Judges, Never, Overrule, Own, Until, Values};
#[doc(hidden)]
pub use operation::{BlockingOperation, Callable, Keyed, NoKey, Operation};
#[doc(hidden)]
pub use probe::{BlockingProbe, Probe, Unprobed};
#[doc(hidden)]
pub use report::{Bare, Outcome, Reporting, Shown, WithReport};
