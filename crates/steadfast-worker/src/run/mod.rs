//! Running: the runners, one attempt with its context, and the handlers by kind.

mod attempt;
mod attempt_span;
mod context;
mod handler;
mod handler_registry;
mod runner;
mod running_tasks;

pub use context::Context;
pub use handler::{Attempt, Handler, Outcome};
pub(crate) use handler_registry::HandlerRegistry;
pub(crate) use runner::Runner;
pub(crate) use running_tasks::RunningTasks;
