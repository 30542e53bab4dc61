//! Operator actions on tasks and queues.

mod actor;
mod requeue;

pub use actor::{Actor, Program};
pub use requeue::{Requeue, Requeued};
