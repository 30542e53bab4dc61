//! Whoever is told what was asked.
//!
//! What changes a task or a queue is in the audit log with the change itself. Reading, submitting
//! and claiming are not, for a program that uses its own store has nobody to account to. A server
//! has, so it is told, and writes it down as it sees fit (K3).

use steadfast_store::{By, TaskId};

use crate::query::TaskFilter;

/// Somebody who is told what leaves no trace of who did it. It must not take long.
pub trait Witness: Send + Sync {
    /// A task was read, with its payload.
    fn task_read(&self, by: &By, id: TaskId);

    /// Those that fit were read, with their payloads.
    fn tasks_listed(&self, by: &By, filter: &TaskFilter);

    /// Tasks were taken.
    fn submitted(&self, by: &By, tasks: &[TaskId]);

    /// Tasks were handed to a worker, with their whole payloads.
    fn claimed(&self, by: &By, tasks: &[TaskId]);
}
