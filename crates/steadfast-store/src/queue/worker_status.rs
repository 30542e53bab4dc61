//! Who is at work, and on what (H2).
//!
//! A queue that grows has no worker, or too few, or one that hangs. Which of these it is shows in
//! two things: who holds tasks until when, and for how long the first in each line has been due.

use jiff::Timestamp;
use serde::Serialize;

/// Workers, and the lines that they take from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Everybody who holds a task, by name.
    pub workers: Vec<WorkerInfo>,
    /// Every queue's line, by the queue's name.
    pub lines: Vec<QueueBacklog>,
}

/// A worker that holds tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// What it calls itself.
    pub name: String,
    /// How many tasks it holds.
    pub tasks: u64,
    /// When the first of its leases ends, if it does not keep it alive.
    pub until: Timestamp,
}

/// The line of one queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueBacklog {
    /// The queue.
    pub queue: String,
    /// Since when the first in line is due; nothing if none is.
    pub due_since: Option<Timestamp>,
    /// How many of its tasks are in the hands of workers.
    pub running: u64,
}
