//! Task counts of the store and its queues (D15).

use jiff::Timestamp;
use serde::Serialize;

/// How many tasks are where, and how well it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Due now.
    pub pending: u64,
    /// Due later.
    pub scheduled: u64,
    /// Due within an hour, of those.
    pub due_in_an_hour: u64,
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
    /// When the next one is due.
    pub next_due: Option<Timestamp>,
    /// Since when the longest-waiting of the tasks that go next has been due, in queues that are not
    /// paused.
    pub due_since: Option<Timestamp>,
}

impl Stats {
    /// Completed of all that completed or failed; nothing before any did.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.completed + self.failed;
        (ended > 0).then(|| self.completed as f64 / ended as f64)
    }
}

/// The whole store, and each of its queues, as one look saw them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Of everything.
    pub stats: Stats,
    /// Every queue, by name.
    pub queues: Vec<QueueInfo>,
}

impl Counts {
    /// What waits is known queue by queue; `stats` knows the rest.
    pub(crate) fn of(mut stats: Stats, queues: Vec<QueueInfo>) -> Self {
        stats.pending = queues.iter().map(|queue| queue.pending).sum();
        stats.scheduled = queues.iter().map(|queue| queue.scheduled).sum();
        Self { stats, queues }
    }
}

/// Where the lines begin. To know it nothing has to be counted, however long they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Due {
    /// When the next one is due.
    pub next_due: Option<Timestamp>,
    /// Since when the longest-waiting of the tasks that go next has been due, in queues that are not
    /// paused.
    pub due_since: Option<Timestamp>,
}

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueInfo {
    /// Its name.
    pub name: String,
    /// Whether nothing is taken from it.
    pub paused: bool,
    /// Due now.
    pub pending: u64,
    /// Due later.
    pub scheduled: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D15: a rate of nothing is none.
    #[test]
    fn the_success_rate_is_of_what_ended_by_itself() {
        let stats = Stats { completed: 3, failed: 1, cancelled: 9, ..Stats::default() };
        assert_eq!((stats.success_rate(), Stats::default().success_rate()), (Some(0.75), None));
    }
}
