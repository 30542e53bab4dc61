//! The handlers that every worker can have (D19): a call of an HTTP API, and a command.
//!
//! They do what somebody wrote into a task, on a machine that is not theirs. So both are closed
//! at first, and opened by whoever runs the worker (K2): [`Targets`] says which addresses may be
//! called beside public ones, [`Commands`] which programs may be run.
//!
//! A handler reports facts and judges nothing: whether a 503 or a timeout is tried again is for
//! the task's policy.

mod builtin;
#[cfg(all(feature = "command", unix))]
mod command;
mod fault;
#[cfg(feature = "http")]
mod http;
mod payload;
mod secrets;
#[cfg(feature = "http")]
mod targets;
mod text;

#[cfg(all(feature = "command", unix))]
pub use command::{CommandAnswer, CommandCall, CommandLimits, Commands};
pub use fault::HandlerFault;
#[cfg(feature = "http")]
pub use http::{Http, HttpAnswer, HttpCall, HttpLimits, Resolver, SystemResolver};
#[cfg(feature = "http")]
pub use targets::{TargetRule, TargetRuleError, Targets};
