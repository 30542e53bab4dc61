//! Task counts of the store and its queues (D15).

use jiff::Timestamp;
use serde::Serialize;

/// The number of tasks in each state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Pending tasks.
    pub pending: u64,
    /// Scheduled tasks.
    pub scheduled: u64,
    /// Scheduled tasks that are due within an hour.
    pub due_in_an_hour: u64,
    /// Scheduled tasks that are due within 24 hours.
    pub due_in_24_hours: u64,
    /// Running tasks.
    pub running: u64,
    /// Completed tasks.
    pub completed: u64,
    /// Failed tasks.
    pub failed: u64,
    /// Cancelled tasks.
    pub cancelled: u64,
    /// The time at which the next scheduled task is due.
    pub next_due: Option<Timestamp>,
    /// The time since which the longest-waiting next task has been due, without paused queues.
    pub due_since: Option<Timestamp>,
}

impl Stats {
    /// The fraction of completed among completed and failed tasks; `None` without any.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.completed + self.failed;
        (ended > 0).then(|| self.completed as f64 / ended as f64)
    }
}

/// The counts of the store and of each queue, in one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// The counts of the store.
    pub stats: Stats,
    /// Every queue, by name.
    pub queues: Vec<QueueInfo>,
}

impl Counts {
    /// Pending and scheduled tasks are summed over the queues; `stats` has the rest.
    pub(crate) fn of(mut stats: Stats, queues: Vec<QueueInfo>) -> Self {
        stats.pending = queues.iter().map(|queue| queue.pending).sum();
        stats.scheduled = queues.iter().map(|queue| queue.scheduled).sum();
        Self { stats, queues }
    }
}

/// The first due times, which are known without counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DueTimes {
    /// The time at which the next scheduled task is due.
    pub next_due: Option<Timestamp>,
    /// The time since which the longest-waiting next task has been due, without paused queues.
    pub due_since: Option<Timestamp>,
}

/// A queue and its tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueInfo {
    /// Its name.
    pub name: String,
    /// Whether it is paused.
    pub paused: bool,
    /// Pending tasks.
    pub pending: u64,
    /// Scheduled tasks.
    pub scheduled: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D15: cancelled tasks do not count, and without ended tasks there is no rate.
    #[test]
    fn success_rate_ignores_cancelled_tasks() {
        let stats = Stats { completed: 3, failed: 1, cancelled: 9, ..Stats::default() };
        assert_eq!((stats.success_rate(), Stats::default().success_rate()), (Some(0.75), None));
    }
}
