//! Who works on a store, and who does not.

use std::time::Duration;

/// What can be told of the workers by what they leave in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Leases that are over, and that nobody has taken over.
    pub lapsed: Option<Lapsed>,
    /// Leases that are not over: somebody keeps them alive.
    pub alive: u64,
    /// Of the tasks that are next in line somewhere, the one that has been due for longest.
    /// Lines of paused queues and of categories that are held back do not count.
    pub due: Option<Due>,
    /// Queues that are paused while tasks of theirs are due.
    pub paused: Vec<String>,
}

impl Work {
    /// Takes note of a queue whose next task has been due for this long.
    pub(crate) fn line(&mut self, queue: String, paused: bool, since: Duration) {
        if paused {
            self.paused.push(queue);
        } else if self.due.as_ref().is_none_or(|due| due.since < since) {
            self.due = Some(Due { queue, since });
        }
    }
}

/// Leases that are over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lapsed {
    /// How many.
    pub leases: u64,
    /// How many tasks are under them.
    pub tasks: u64,
    /// For how long the first of them has been over.
    pub longest: Duration,
    /// Some of the workers that had them.
    pub workers: Vec<String>,
}

/// A task that is next in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its queue.
    pub queue: String,
    /// For how long it has been due.
    pub since: Duration,
}
