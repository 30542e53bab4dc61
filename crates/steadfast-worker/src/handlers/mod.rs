//! The handlers that every worker can have (D19).
//!
//! They do what somebody wrote into a task, on a machine that is not theirs. So they are closed at
//! first, and opened by whoever runs the worker (K2): [`Commands`] says which programs may be run.
//!
//! A handler reports facts and judges nothing: whether a timeout is tried again is for the task's
//! policy.

#[cfg(all(feature = "command", unix))]
mod command;
mod fault;
mod payload;
mod secrets;
mod text;

#[cfg(all(feature = "command", unix))]
pub use command::{CommandAnswer, CommandCall, CommandLimits, Commands};
pub use fault::HandlerFault;
