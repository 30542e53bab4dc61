//! Queues in responses.

use serde::{Deserialize, Serialize};
use steadfast_store::QueueInfo;

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct QueueView {
    /// Its name.
    pub name: String,
    /// Whether nothing is taken from it.
    pub paused: bool,
    /// Due now.
    pub pending: u64,
    /// Due later.
    pub scheduled: u64,
}

impl From<QueueInfo> for QueueView {
    fn from(queue: QueueInfo) -> Self {
        let QueueInfo { name, paused, pending, scheduled, .. } = queue;
        Self { name, paused, pending, scheduled }
    }
}
