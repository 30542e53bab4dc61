//! Sessions: filter, list, and the session of a task.

mod filter;
mod from_task;
mod list;

pub use filter::{Outcome, SessionFilter};
pub(crate) use from_task::no_attempts;
pub(crate) use list::{of_task, read};
