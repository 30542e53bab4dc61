//! Whoever is told what was asked.
//!
//! What people do to a task or a queue is in the audit log with the deed itself. Reading,
//! submitting and working on tasks is not, for a program that uses its own store has nobody to
//! account to. A server has, so it is told, and writes it down as it sees fit (K3).

use steadfast_store::{Actor, ExecutionId, TaskId};

use crate::events::EventFilter;
use crate::sessions::SessionFilter;
use crate::workflows::ExecutionFilter;
use crate::{audit::AuditFilter, tasks::TaskFilter};

/// Somebody who is told what leaves no trace of who did it. It must not take long.
pub trait Witness: Send + Sync {
    /// Something was read that not everybody should know.
    fn read(&self, by: &Actor, what: Seen<'_>);

    /// Something was done with tasks.
    fn did(&self, by: &Actor, deed: Deed, tasks: &[TaskId]);
}

/// What was read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Seen<'f> {
    /// A task, with its payload.
    Task(TaskId),
    /// Those that fit, with their payloads.
    Tasks(&'f TaskFilter),
    /// An execution of a workflow, with what it was started with and what its nodes answered.
    Execution(ExecutionId),
    /// Those that fit, without any of that.
    Executions(&'f ExecutionFilter),
    /// A workflow, with what its nodes are asked.
    Workflow(i64),
    /// All of them.
    Workflows,
    /// What others did.
    Audit(&'f AuditFilter),
    /// Events, with what went wrong.
    Events(&'f EventFilter),
    /// Sessions of processes, with what went wrong.
    Sessions(&'f SessionFilter),
    /// How many tasks are where, by queue.
    Stats,
    /// How well it went, by policy and by subsystem.
    MetricsSummary,
}

/// What was done with tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Deed {
    /// They were taken.
    Submit,
    /// They were handed to a worker, with their whole payloads.
    Claim,
    /// A worker said that they are done.
    Complete,
    /// A worker said that they failed.
    Fail,
}
