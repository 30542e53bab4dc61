//! Workers that hold tasks, and the backlog of each queue (H2).
//!
//! A growing queue has no worker, too few, or one that hangs. The leases of the workers and the
//! time for which the first task of each queue has been due show which.

use jiff::Timestamp;
use serde::Serialize;

/// The workers, and the backlogs of their queues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Every worker that holds a task, by name.
    pub workers: Vec<WorkerInfo>,
    /// The backlog of every queue, by name.
    #[serde(rename = "lines")]
    pub backlogs: Vec<QueueBacklog>,
}

/// A worker that holds tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// Its name.
    pub name: String,
    /// The number of tasks that it holds.
    pub tasks: u64,
    /// The time at which the first of its leases expires.
    pub until: Timestamp,
}

/// The backlog of one queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueBacklog {
    /// The queue.
    pub queue: String,
    /// The time since which the next task is due; `None` if no task is due.
    pub due_since: Option<Timestamp>,
    /// The number of its running tasks.
    pub running: u64,
}
