//! Queues.

use serde::{Deserialize, Serialize};
use steadfast_store::QueueInfo;

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct QueueView {
    /// The name of the queue.
    pub name: String,
    /// Whether the queue is paused: its tasks are not claimed.
    pub paused: bool,
    /// Number of tasks that are due.
    pub pending: u64,
    /// Number of tasks that are due later.
    pub scheduled: u64,
}

impl From<QueueInfo> for QueueView {
    fn from(queue: QueueInfo) -> Self {
        let QueueInfo { name, paused, pending, scheduled, .. } = queue;
        Self { name, paused, pending, scheduled }
    }
}
