//! The audit log: filter, redaction, and the hook for actions that the store does not audit.
//!
//! The store audits control actions itself, in the same transaction. It does not audit reads,
//! submits and the work of workers: a program that uses its own store needs no record of them. A
//! server does, so it installs a hook (K3).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::observe::Redactor;
use steadfast_store::{Actor, AuditEntry, ExecutionFilter, ExecutionId, TaskId};

use crate::events::EventFilter;
use crate::sessions::SessionFilter;
use crate::tasks::TaskFilter;

/// A filter of audit entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct AuditFilter {
    /// Only actions of this actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only actions on this target, such as a task id or a queue name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Only this action, such as `task.cancel` or `queue.pause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Only actions at or after this time.
    #[serde(
        deserialize_with = "crate::time_input::timestamp",
        skip_serializing_if = "Option::is_none"
    )]
    pub since: Option<Timestamp>,
}

/// Masks secrets in the details of an entry: programs may write anything there.
pub(crate) fn without_secrets(mut entry: AuditEntry) -> AuditEntry {
    Redactor::installed().value(&mut entry.detail);
    entry
}

/// A receiver of actions that the store does not audit. It must return quickly.
pub trait AuditHook: Send + Sync {
    /// An actor read something confidential.
    fn on_read(&self, actor: &Actor, action: ReadAction<'_>);

    /// An actor submitted, claimed or settled tasks.
    fn on_task_action(&self, actor: &Actor, action: TaskAction, tasks: &[TaskId]);
}

/// An audited read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ReadAction<'f> {
    /// One task with its payload.
    Task(TaskId),
    /// A list of tasks with their payloads.
    Tasks(&'f TaskFilter),
    /// One execution with its trigger and the results of its nodes.
    Execution(ExecutionId),
    /// A list of executions, without triggers and results.
    Executions(&'f ExecutionFilter),
    /// One workflow with the configuration of its nodes.
    Workflow(i64),
    /// The list of workflows.
    Workflows,
    /// Audit entries.
    Audit(&'f AuditFilter),
    /// Events with their errors.
    Events(&'f EventFilter),
    /// Sessions with their errors.
    Sessions(&'f SessionFilter),
    /// Task counts by status and queue.
    Stats,
    /// The metrics summary of a time window.
    MetricsSummary,
}

/// An audited action on tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskAction {
    /// Tasks were submitted.
    Submit,
    /// A worker claimed tasks and received their payloads.
    Claim,
    /// A worker completed a task.
    Complete,
    /// A worker failed an attempt.
    Fail,
}
