//! Operator actions on tasks and queues.

mod actor;
pub(crate) mod program;
mod requeue;

pub use actor::Actor;
pub use requeue::{Requeue, Requeued};
