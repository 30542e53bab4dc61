//! Task counts by status, and the success rate (D15).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast_store::{QueueInfo, Stats};

/// Task counts by status, the success rate, and the queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct StatsView {
    /// Number of tasks that are due.
    pub pending: u64,
    /// Number of tasks that are due later.
    pub scheduled: u64,
    /// Number of scheduled tasks that are due within 24 hours.
    pub due_in_24_hours: u64,
    /// Number of tasks that workers are running.
    pub running: u64,
    /// Number of completed tasks.
    pub completed: u64,
    /// Number of failed tasks.
    pub failed: u64,
    /// Number of cancelled tasks.
    pub cancelled: u64,
    /// Completed tasks divided by completed and failed tasks, from 0 to 1; `null` if there are none.
    pub success_rate: Option<f64>,
    /// When the next task is due.
    pub next_due: Option<Timestamp>,
    /// When the oldest waiting task became due, among the next tasks of queues that are not paused.
    pub due_since: Option<Timestamp>,
    /// The queues.
    pub queues: Vec<QueueInfo>,
}

impl StatsView {
    /// The counts of a store.
    #[must_use]
    pub fn new(stats: &Stats, queues: Vec<QueueInfo>) -> Self {
        Self {
            pending: stats.pending,
            scheduled: stats.scheduled,
            due_in_24_hours: stats.due_in_24_hours,
            running: stats.running,
            completed: stats.completed,
            failed: stats.failed,
            cancelled: stats.cancelled,
            success_rate: stats.success_rate(),
            next_due: stats.next_due,
            due_since: stats.due_since,
            queues,
        }
    }

    /// Number of all tasks.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.pending + self.scheduled + self.running + self.completed + self.failed + self.cancelled
    }
}
