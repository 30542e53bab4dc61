//! How many tasks are where, and how well it goes (D15).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast_store::{QueueInfo, Stats};

use crate::queues::QueueView;

/// Four questions in one answer: what is pending, what is due in 24 hours, what failed,
/// and the rate of success; and the queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct StatsView {
    /// Due now.
    pub pending: u64,
    /// Due later.
    pub scheduled: u64,
    /// Due within 24 hours, of those.
    pub due_in_24_hours: u64,
    /// In the hands of workers.
    pub running: u64,
    /// Done.
    pub completed: u64,
    /// Given up.
    pub failed: u64,
    /// Called off.
    pub cancelled: u64,
    /// Completed of all that completed or failed, from 0 to 1; nothing before any did.
    pub success_rate: Option<f64>,
    /// When the next one is due.
    pub next_due: Option<Timestamp>,
    /// Since when the longest-waiting of the tasks that go next has been due, in queues that are not
    /// paused.
    pub due_since: Option<Timestamp>,
    /// Every queue.
    pub queues: Vec<QueueView>,
}

impl StatsView {
    /// What a store counted.
    #[must_use]
    pub fn new(stats: &Stats, queues: Vec<QueueInfo>) -> Self {
        let queues = queues.into_iter().map(QueueView::from).collect();
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

    /// How many tasks there are in all.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.pending + self.scheduled + self.running + self.completed + self.failed + self.cancelled
    }
}
