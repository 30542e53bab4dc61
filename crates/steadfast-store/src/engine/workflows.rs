//! The role that stores workflows and their executions.

use std::time::Duration;

use async_trait::async_trait;

use crate::control::Actor;
use crate::error::Result;
use crate::page::{Page, PageRequest};
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeValue, OrphanedNodes, Started, Step, StoredExecution, ValuesWanted, WorkflowDefinition,
};

/// Stores workflows and their executions. It decides nothing: it writes the steps that are
/// current, and rejects the others.
#[async_trait]
pub trait Workflows: Send + Sync + 'static {
    /// Stores a workflow's definition once for all its executions, and returns its number. With
    /// an actor, the audit entry is written in the same transaction (K3).
    async fn save_workflow(&self, name: &str, text: &str, actor: Option<&Actor>) -> Result<i64>;

    /// The definition with this number.
    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>>;

    /// The definitions, newest first.
    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>>;

    /// Starts executions with their first nodes, all or none. The answers are in their order.
    async fn start_executions(&self, new: Vec<NewExecution<CheckedTask>>) -> Result<Vec<Started>>;

    /// Applies the steps that are current, all of them in one transaction, and returns which were
    /// applied. The error is [`Changed`](crate::ExecutionError::Changed) if a step calls a task
    /// completed that is not.
    async fn apply_steps(&self, steps: Vec<Step<CheckedTask>>) -> Result<Vec<bool>>;

    /// Cancels tasks of executions that have ended, and returns the tasks that it cancelled.
    async fn cancel_leftover_tasks(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        actor: &Actor,
    ) -> Result<Vec<TaskId>>;

    /// The states of these executions. Missing ones are left out.
    async fn execution_states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>>;

    /// The inputs of nodes that are about to start. Missing values are left out. `None` if there
    /// are `max_bytes` or more, of which no more than that is read.
    async fn execution_values(
        &self,
        wanted: &[ValuesWanted],
        max_bytes: u64,
    ) -> Result<Option<Vec<NodeValue>>>;

    /// The failures of these tasks. Tasks that have not failed are left out.
    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>>;

    /// The executions that have a submitted node among these tasks.
    async fn executions_of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>>;

    /// Executions with a submitted node whose task has ended within this time: those of `limit`
    /// such nodes at most.
    async fn missed_completions(&self, within: Duration, limit: u32) -> Result<MissedCompletion>;

    /// Checks up to `limit` submitted nodes after this one for missed completions.
    async fn orphaned_nodes(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes>;

    /// One execution with its nodes.
    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>>;

    /// A page of executions without their nodes, newest first.
    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>>;

    /// The executions that this one follows and that follow it, without their nodes, oldest
    /// first.
    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>>;
}
