//! What an engine must be able to do for executions.

use std::time::Duration;

use async_trait::async_trait;

use crate::control::Actor;
use crate::error::Result;
use crate::maintenance::retention::Retention;
use crate::page::{Page, PageRequest};
use crate::queue::submit::Admission;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeValue, OrphanedNodes, Started, Step, StoredExecution, ValuesWanted, WorkflowDefinition,
};

/// The part of an [`Engine`](crate::Engine) that keeps executions. It decides nothing: it writes
/// the steps that hold, and refuses those that do not.
#[async_trait]
pub trait Executions: Send + Sync {
    /// Keeps the text of a workflow, once for all executions of it, and answers with its number. If
    /// somebody asked for it, that is in the audit log, or nothing is written (K3).
    async fn keep_workflow(&self, name: &str, text: &str, by: Option<&Actor>) -> Result<i64>;

    /// The workflow of this number.
    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>>;

    /// The workflows, newest first.
    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>>;

    /// Starts executions, all or none, with their first nodes. The answers are in their order.
    async fn start(&self, new: Vec<NewExecution<Admission>>) -> Result<Vec<Started>>;

    /// Makes those steps that hold, all of them in one transaction. Answers which did. It is
    /// [changed](crate::ExecutionError::Changed) if a task that a step says has completed has not.
    async fn take(&self, steps: Vec<Step<Admission>>) -> Result<Vec<bool>>;

    /// Calls off tasks of executions, unless those are running. Answers which it could.
    async fn call_off(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        by: &Actor,
    ) -> Result<Vec<TaskId>>;

    /// Where these executions are. One that is not there is left out.
    async fn states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>>;

    /// What nodes that begin want to know. What is not there is left out. Nothing if it is `most`
    /// bytes or more, of which no more than that is read.
    async fn values(&self, wanted: &[ValuesWanted], most: u64) -> Result<Option<Vec<NodeValue>>>;

    /// How these tasks failed. One that did not is left out.
    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>>;

    /// The executions that have a submitted node among these tasks.
    async fn of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>>;

    /// Executions that have a submitted node whose task has ended within so long: those of `limit`
    /// such nodes at most.
    async fn ended_within(&self, within: Duration, limit: u32) -> Result<MissedCompletion>;

    /// Looks at up to `limit` submitted nodes after this one for what nobody noticed.
    async fn strays(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes>;

    /// One execution with its nodes.
    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>>;

    /// Some executions without their nodes, newest first.
    async fn list(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>>;

    /// The executions that this one follows and that follow it, without their nodes, oldest
    /// first.
    async fn chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>>;

    /// Forgets executions that are past their retention, and have no task that is still open.
    async fn prune_executions(&self, retention: &Retention) -> Result<u64>;
}
