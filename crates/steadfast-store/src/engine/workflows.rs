//! The role that stores workflows and their executions.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use sqlx::{Database, Encode, QueryBuilder, Type};
use steadfast::decide::Progress;
use uuid::Uuid;

use super::row::{EngineRow, decode, named};
use crate::control::Actor;
use crate::error::Result;
use crate::page::{Page, PageRequest};
use crate::queue::submit::CheckedTask;
use crate::task::{FaultRecord, TaskId};
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeState, NodeValue, OrphanedNodes, Outcome, Started, Step, StoredExecution, StoredNode,
    ValuesWanted, WorkflowDefinition,
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

pub(super) fn definition(row: &impl EngineRow) -> Result<WorkflowDefinition> {
    let (number, name) = (row.get("number")?, row.get("name")?);
    Ok(WorkflowDefinition { number, name, text: row.get("body")?, saved_at: row.time("kept_at")? })
}

pub(super) fn execution_state(
    row: &impl EngineRow,
    nodes: Vec<NodeState>,
) -> Result<ExecutionState> {
    Ok(ExecutionState {
        id: row.id("id")?,
        workflow: row.get("workflow")?,
        version: row.get("version")?,
        status: row.parsed("status")?,
        progress: Progress {
            attempts: row.small_count("attempts")?,
            rate_limit_waits: row.small_count("rate_limit_waits")?,
            previous: row.get::<i64>("previous_delay")?.cast_unsigned(),
        },
        counted_from: row.time("counted_from")?,
        next: row.maybe_id("next")?,
        now: row.time("now")?,
        nodes,
    })
}

/// The state of a node's task by its name in rows.
pub(super) fn outcome(name: &str) -> Result<Outcome> {
    Ok(match name {
        "open" => Outcome::Open,
        "pruned" => Outcome::Pruned,
        ended => Outcome::Ended(ended.parse()?),
    })
}

pub(super) fn node_values<R: EngineRow>(
    rows: &[R],
    max_bytes: u64,
) -> Result<Option<Vec<NodeValue>>> {
    let value = |row: &R| {
        let node = row.get::<Option<i16>>("node")?.map(i16::unsigned_abs);
        Ok(NodeValue { execution: row.id("execution")?, node, json: row.get("json")? })
    };
    let values = rows.iter().map(value).collect::<Result<Vec<_>>>()?;
    Ok(NodeValue::within(values, max_bytes))
}

pub(super) fn failure(row: &impl EngineRow, faults: Vec<FaultRecord>) -> Result<Failure> {
    Ok(Failure {
        task: row.id("id")?,
        reason: row.maybe_text("reason")?.and_then(named),
        message: row.get("last_message")?,
        fault: faults.into_iter().last().map(|record| record.fault),
    })
}

/// The executions of up to `limit` nodes, several of which may belong to one execution.
pub(super) fn missed_completions(mut executions: Vec<Uuid>, limit: u32) -> MissedCompletion {
    let is_all = executions.len() < limit as usize;
    executions.sort_unstable();
    executions.dedup();
    MissedCompletion { executions: executions.into_iter().map(ExecutionId::from).collect(), is_all }
}

pub(super) fn orphaned_nodes(rows: &[impl EngineRow], limit: u32) -> Result<OrphanedNodes> {
    let mut orphaned = OrphanedNodes::default();
    if rows.len() >= limit as usize {
        orphaned.next = rows.last().map(|row| row.id("task")).transpose()?;
    }
    for row in rows {
        if row.get("is_orphaned")? {
            orphaned.executions.push(row.id("execution")?);
        }
    }
    orphaned.executions.sort_unstable();
    orphaned.executions.dedup();
    Ok(orphaned)
}

/// An execution without its trigger and its nodes.
pub(super) fn stored_execution(row: &impl EngineRow) -> Result<StoredExecution> {
    Ok(StoredExecution {
        id: row.id("id")?,
        workflow: row.get("workflow")?,
        name: row.get("name")?,
        status: row.parsed("status")?,
        attempt: row.small_count("attempts")?.saturating_add(1),
        started_at: row.time("started_at")?,
        due_at: row.time("due_at")?,
        ended_at: row.maybe_time("ended_at")?,
        key: row.get("key")?,
        previous: row.maybe_id("previous")?,
        next: row.maybe_id("next")?,
        failed_node: row.get("failed_node")?,
        message: row.get("message")?,
        trigger: Value::Null,
        nodes: Vec::new(),
    })
}

fn stored_node(row: &impl EngineRow) -> Result<StoredNode> {
    Ok(StoredNode {
        number: row.get::<i16>("number")?.unsigned_abs(),
        task: row.maybe_id("task")?,
        status: row.parsed("status")?,
        started_at: row.time("began_at")?,
        ended_at: row.maybe_time("ended_at")?,
        omitted_bytes: row.maybe_count("left_out")?,
        result: row.maybe_text("result")?.map(decode).transpose()?,
        message: row.get("message")?,
    })
}

/// An execution with its nodes; `None` if a step was applied between the two reads.
pub(super) fn execution_with_nodes<R: EngineRow>(
    row: &R,
    nodes: &[R],
) -> Result<Option<StoredExecution>> {
    if let Some(node) = nodes.first()
        && row.get::<Option<i64>>("version")? != node.get::<Option<i64>>("version")?
    {
        return Ok(None);
    }
    let mut execution = stored_execution(row)?;
    execution.trigger = row.json("started_with")?;
    execution.nodes = nodes.iter().map(stored_node).collect::<Result<_>>()?;
    Ok(Some(execution))
}

/// The statement of a page of executions. `select` ends with a condition.
pub(super) fn executions_statement<DB: Database>(
    select: &str,
    filter: &ExecutionFilter,
    page: &PageRequest,
) -> Result<QueryBuilder<DB>>
where
    i64: for<'q> Encode<'q, DB> + Type<DB>,
    String: for<'q> Encode<'q, DB> + Type<DB>,
    Uuid: for<'q> Encode<'q, DB> + Type<DB>,
{
    let mut statement = QueryBuilder::new(select);
    if let Some(after) = page.parsed::<ExecutionId>()? {
        statement.push(" AND id < ").push_bind(after.uuid());
    }
    if let Some(status) = filter.status {
        statement.push(" AND status = ").push_bind(status.name().to_owned());
    }
    if let Some(workflow) = &filter.workflow {
        statement.push(" AND name = ").push_bind(workflow);
    }
    statement.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(page.limit) + 1);
    Ok(statement)
}

pub(super) fn executions_page(
    rows: &[impl EngineRow],
    page: &PageRequest,
) -> Result<Page<StoredExecution>> {
    let executions = rows.iter().map(stored_execution).collect::<Result<_>>()?;
    Ok(page.of(executions, |execution| Some(execution.id)))
}
