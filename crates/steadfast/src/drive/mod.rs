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
mod trail;

pub use attempt::Attempt;
pub use cancel::{CancelHandle, Cancellable};
pub use environment::{BlockingSleeper, Environment, Named, Real, Seeded, Sleeper};
pub use error::{FailedAttempt, GaveUp, RetryError};
pub use future::RetryFuture;
pub use hooks::Hook;
pub use instrument::{Happening, Instrument, What};
pub use judges::{Any, By, Facts, Judges, Never, Overrule, Own, Until, Values};
pub use key::Key;
pub use operation::{BlockingOperation, Callable, Keyed, NoKey, Operation};
pub use probe::{BlockingProbe, Effect, Probe, Unprobed};
pub use report::{Bare, Outcome, Report, Reporting, WithReport};
pub use retry::{Retry, retry};
