//! The leases and backlogs of a store.

use std::time::Duration;

/// The state of the workers, as seen in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Expired leases that no worker has reclaimed.
    pub lapsed: Option<Lapsed>,
    /// Leases that have not expired.
    pub alive: u64,
    /// The longest-due task among the heads of all queues, without paused queues and held
    /// categories.
    pub due: Option<Due>,
    /// Paused queues with due tasks.
    pub paused: Vec<String>,
}

impl Work {
    /// Adds a queue whose next task has been due for this long.
    pub(crate) fn add_backlog(&mut self, queue: String, paused: bool, since: Duration) {
        if paused {
            self.paused.push(queue);
        } else if self.due.as_ref().is_none_or(|due| due.since < since) {
            self.due = Some(Due { queue, since });
        }
    }
}

/// Expired leases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lapsed {
    /// Their number.
    pub leases: u64,
    /// The number of their tasks.
    pub tasks: u64,
    /// The time since the first of them expired.
    pub longest: Duration,
    /// Some of their workers.
    pub workers: Vec<String>,
}

/// The next task of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its queue.
    pub queue: String,
    /// How long it has been due.
    pub since: Duration,
}
