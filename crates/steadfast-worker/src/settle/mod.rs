//! Settling: task results, and the writer that settles them in batches.

mod settler;
mod task_result;

pub(crate) use settler::{SETTLE_QUEUE_CAPACITY, Settler};
pub(crate) use task_result::TaskResult;
