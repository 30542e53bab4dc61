//! The built-in handlers (D19): HTTP calls and commands.
//!
//! They run what a client wrote into a task, on the operator's machine. So the operator has to allow
//! it (K2): [`Targets`] lists the addresses that may be called beside public ones, [`Commands`] the
//! programs that may run.
//!
//! A handler reports faults and classifies nothing: whether a 503 or a timeout is retried is up to
//! the task's policy.

mod builtin;
#[cfg(all(feature = "command", unix))]
mod command;
mod error;
#[cfg(feature = "http")]
mod http;
mod payload;
mod secrets;
#[cfg(feature = "http")]
mod targets;
mod text;

#[cfg(all(feature = "command", unix))]
pub use command::{CommandCall, CommandLimits, CommandOutput, Commands};
pub use error::HandlerError;
#[cfg(feature = "http")]
pub use http::{Http, HttpCall, HttpLimits, HttpResponse, Resolver, SystemResolver};
#[cfg(feature = "http")]
pub use targets::{TargetRule, TargetRuleError, Targets};
