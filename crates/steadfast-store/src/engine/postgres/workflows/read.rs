//! Reading workflows and executions.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::postgres::{PgPool, PgRow};
use sqlx::{QueryBuilder, Row};
use steadfast::decide::Progress;
use uuid::Uuid;

use super::super::row::{count, decode};
use super::super::time::{Time, micros};
use crate::error::{InputError, Result};
use crate::page::{Cursor, Page, PageRequest};
use crate::task::TaskId;
use crate::task::decode_error::DecodeErrors;
use crate::task::faults::faults;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES,
    MissedCompletion, NodeState, NodeValue, OrphanedNodes, Outcome, StoredExecution, StoredNode,
    ValuesWanted, WorkflowDefinition,
};

const WORKFLOW: &str = "SELECT id, name, body, kept_at FROM steadfast.workflows WHERE id = $1";
const WORKFLOWS: &str = include_str!("../sql/workflows.sql");
const EXECUTION_STATES: &str = include_str!("../sql/execution_states.sql");
const NODE_STATES: &str = include_str!("../sql/execution_node_states.sql");
const EXECUTION_VALUES: &str = include_str!("../sql/execution_values.sql");
const FAILURES: &str = include_str!("../sql/execution_failures.sql");
const EXECUTIONS_OF_TASKS: &str = "SELECT DISTINCT n.execution FROM unnest($1::uuid[]) AS g (task) \
     JOIN steadfast.nodes n ON n.task = g.task AND n.status = 'submitted'";
const MISSED_COMPLETIONS: &str = include_str!("../sql/execution_missed_completions.sql");
const ORPHANED_NODES: &str = include_str!("../sql/execution_orphaned_nodes.sql");
const EXECUTION: &str = include_str!("../sql/execution.sql");
const EXECUTION_NODES: &str = include_str!("../sql/execution_nodes.sql");
const EXECUTIONS: &str = include_str!("../sql/executions.sql");
const EXECUTION_CHAIN: &str = include_str!("../sql/execution_chain.sql");

pub(super) async fn workflow(pool: &PgPool, number: i64) -> Result<Option<WorkflowDefinition>> {
    let row = sqlx::query(WORKFLOW).bind(number).fetch_optional(pool).await?;
    row.map(|row| definition(&row)).transpose()
}

pub(super) async fn workflows(
    pool: &PgPool,
    page: &PageRequest,
) -> Result<Page<WorkflowDefinition>> {
    let rows = sqlx::query(WORKFLOWS)
        .bind(page.number()?)
        .bind(i64::from(page.limit) + 1)
        .bind(MAX_SHOWN_BYTES.cast_signed());
    let rows = rows.fetch_all(pool).await?;
    let definitions = rows.iter().map(definition).collect::<Result<Vec<_>>>()?;
    Ok(WorkflowDefinition::page(definitions, page))
}

fn definition(row: &PgRow) -> Result<WorkflowDefinition> {
    Ok(WorkflowDefinition {
        number: row.try_get(0)?,
        name: row.try_get(1)?,
        text: row.try_get(2)?,
        kept_at: row.try_get::<Time, _>(3)?.0,
    })
}

/// The nodes are read after their execution: a step that is applied in between makes the version
/// stale, and so the next step is rejected.
pub(super) async fn execution_states(
    pool: &PgPool,
    ids: &[ExecutionId],
) -> Result<Vec<ExecutionState>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let mut connection = pool.acquire().await?;
    let executions = sqlx::query(EXECUTION_STATES).bind(&ids).fetch_all(&mut *connection).await?;
    let nodes = sqlx::query(NODE_STATES).bind(&ids).fetch_all(&mut *connection).await?;
    let mut by_execution: HashMap<Uuid, Vec<NodeState>> = HashMap::with_capacity(ids.len());
    for row in &nodes {
        by_execution.entry(row.try_get(0)?).or_default().push(node_state(row)?);
    }
    by_execution.values_mut().for_each(|nodes| nodes.sort_unstable_by_key(|node| node.number));
    executions.iter().map(|row| state(row, &mut by_execution)).collect()
}

fn state(row: &PgRow, nodes: &mut HashMap<Uuid, Vec<NodeState>>) -> Result<ExecutionState> {
    let id: Uuid = row.try_get(0)?;
    Ok(ExecutionState {
        id: id.into(),
        workflow: row.try_get(1)?,
        version: row.try_get(2)?,
        status: row.try_get::<&str, _>(3)?.parse()?,
        progress: Progress {
            attempts: count(row.try_get(4)?),
            rate_limit_waits: count(row.try_get(5)?),
            previous: row.try_get::<i64, _>(6)?.cast_unsigned(),
        },
        counted_from: row.try_get::<Time, _>(7)?.0,
        is_followed: row.try_get(8)?,
        now: row.try_get::<Time, _>(9)?.0,
        nodes: nodes.remove(&id).unwrap_or_default(),
    })
}

fn node_state(row: &PgRow) -> Result<NodeState> {
    let outcome = match row.try_get::<&str, _>(4)? {
        "open" => Outcome::Open,
        "gone" => Outcome::Pruned,
        ended => Outcome::Ended(ended.parse()?),
    };
    Ok(NodeState {
        number: number(row.try_get(1)?),
        status: row.try_get::<&str, _>(2)?.parse()?,
        task: row.try_get::<Option<Uuid>, _>(3)?.map(TaskId::from),
        outcome,
    })
}

fn number(column: i16) -> u16 {
    column.unsigned_abs()
}

pub(super) async fn execution_values(
    pool: &PgPool,
    wanted: &[ValuesWanted],
    max_bytes: u64,
) -> Result<Option<Vec<NodeValue>>> {
    let bytes = i64::try_from(max_bytes).unwrap_or(i64::MAX);
    let triggers: Vec<Uuid> =
        wanted.iter().filter(|one| one.trigger).map(|one| one.execution.uuid()).collect();
    let nodes = || wanted.iter().flat_map(|one| one.nodes.iter().map(|node| (one.execution, node)));
    let rows = sqlx::query(EXECUTION_VALUES)
        .bind(triggers)
        .bind(nodes().map(|(id, _)| id.uuid()).collect::<Vec<_>>())
        .bind(nodes().map(|(_, node)| node.cast_signed()).collect::<Vec<_>>())
        .bind(bytes)
        .fetch_all(pool)
        .await?;
    let value = |row: &PgRow| {
        Ok(NodeValue {
            execution: row.try_get::<Uuid, _>(0)?.into(),
            node: row.try_get::<Option<i16>, _>(1)?.map(number),
            json: row.try_get(2)?,
        })
    };
    let values = rows.iter().map(value).collect::<Result<Vec<_>>>()?;
    Ok(NodeValue::within(values, max_bytes))
}

pub(super) async fn failures(pool: &PgPool, tasks: &[TaskId]) -> Result<Vec<Failure>> {
    let tasks: Vec<Uuid> = tasks.iter().map(|task| task.uuid()).collect();
    let rows = sqlx::query(FAILURES).bind(tasks).fetch_all(pool).await?;
    rows.iter().map(failure).collect()
}

fn failure(row: &PgRow) -> Result<Failure> {
    let task: TaskId = row.try_get::<Uuid, _>("id")?.into();
    let last: Option<&str> = row.try_get("record")?;
    let at = row.try_get::<Option<Time>, _>("at")?.map(|time| time.0);
    let last = at.into_iter().zip(last);
    // Decode errors are reported where the task itself is read.
    let faults = faults(task, row.try_get("packed_faults")?, last, &mut DecodeErrors::default())?;
    Ok(Failure {
        task,
        reason: row.try_get::<Option<&str>, _>("reason")?.and_then(Failure::reason_of),
        message: row.try_get("last_message")?,
        fault: faults.into_iter().last().map(|record| record.fault),
    })
}

pub(super) async fn executions_of_tasks(
    pool: &PgPool,
    tasks: &[TaskId],
) -> Result<Vec<ExecutionId>> {
    let tasks: Vec<Uuid> = tasks.iter().map(|task| task.uuid()).collect();
    let ids: Vec<Uuid> =
        sqlx::query_scalar(EXECUTIONS_OF_TASKS).bind(tasks).fetch_all(pool).await?;
    Ok(ids.into_iter().map(ExecutionId::from).collect())
}

pub(super) async fn missed_completions(
    pool: &PgPool,
    within: Duration,
    limit: u32,
) -> Result<MissedCompletion> {
    let found = sqlx::query_scalar(MISSED_COMPLETIONS).bind(micros(within)).bind(i64::from(limit));
    let mut ids: Vec<Uuid> = found.fetch_all(pool).await?;
    // Several nodes may belong to one execution.
    let is_all = ids.len() < limit as usize;
    ids.sort_unstable();
    ids.dedup();
    Ok(MissedCompletion { executions: ids.into_iter().map(ExecutionId::from).collect(), is_all })
}

pub(super) async fn orphaned_nodes(
    pool: &PgPool,
    after: Option<TaskId>,
    limit: u32,
) -> Result<OrphanedNodes> {
    let after = after.map_or(Uuid::nil(), TaskId::uuid);
    let rows =
        sqlx::query(ORPHANED_NODES).bind(after).bind(i64::from(limit)).fetch_all(pool).await?;
    let mut orphaned = OrphanedNodes::default();
    if rows.len() >= limit as usize {
        let last = rows.last().map(|row| row.try_get::<Uuid, _>(0)).transpose()?;
        orphaned.next = last.map(TaskId::from);
    }
    for row in &rows {
        if row.try_get(2)? {
            orphaned.executions.push(row.try_get::<Uuid, _>(1)?.into());
        }
    }
    orphaned.executions.sort_unstable();
    orphaned.executions.dedup();
    Ok(orphaned)
}

pub(super) async fn execution(pool: &PgPool, id: ExecutionId) -> Result<Option<StoredExecution>> {
    loop {
        let row = sqlx::query(EXECUTION).bind(id.uuid()).fetch_optional(pool).await?;
        let Some(row) = row else { return Ok(None) };
        let nodes =
            sqlx::query(EXECUTION_NODES).bind(id.uuid()).bind(MAX_SHOWN_BYTES.cast_signed());
        let nodes = nodes.fetch_all(pool).await?;
        if is_torn(&row, &nodes)? {
            continue;
        }
        let mut execution = stored(&row)?;
        execution.trigger = decode(row.try_get("started_with")?)?;
        execution.nodes = nodes.iter().map(stored_node).collect::<Result<_>>()?;
        return Ok(Some(execution));
    }
}

/// Whether a step was applied between the two reads.
fn is_torn(execution: &PgRow, nodes: &[PgRow]) -> Result<bool> {
    let Some(node) = nodes.first() else { return Ok(false) };
    let (before, after): (Option<i64>, Option<i64>) =
        (execution.try_get("version")?, node.try_get("version")?);
    Ok(before != after)
}

pub(super) async fn executions(
    pool: &PgPool,
    filter: &ExecutionFilter,
    page: &PageRequest,
) -> Result<Page<StoredExecution>> {
    let mut statement = QueryBuilder::new(EXECUTIONS);
    if let Some(Cursor(after)) = &page.after {
        let foreign = |_| InputError::new("after", "not a cursor of this list; start without one");
        let after: ExecutionId = after.parse().map_err(foreign)?;
        statement.push(" AND x.id < ").push_bind(after.uuid());
    }
    if let Some(status) = filter.status {
        statement.push(" AND x.status = ").push_bind(status.name());
    }
    if let Some(workflow) = &filter.workflow {
        statement.push(" AND x.name = ").push_bind(workflow);
    }
    statement.push(" ORDER BY x.id DESC LIMIT ").push_bind(i64::from(page.limit) + 1);
    let rows = statement.build().fetch_all(pool).await?;
    let mut items = rows.iter().map(stored).collect::<Result<Vec<_>>>()?;
    let is_more = items.len() > page.limit as usize;
    items.truncate(page.limit as usize);
    let last = items.last().filter(|_| is_more);
    let next = last.map(|execution| Cursor(execution.id.to_string()));
    Ok(Page { items, next })
}

pub(super) async fn execution_chain(
    pool: &PgPool,
    id: ExecutionId,
) -> Result<Vec<StoredExecution>> {
    let rows =
        sqlx::query(EXECUTION_CHAIN).bind(id.uuid()).bind(MAX_CHAIN_LENGTH).fetch_all(pool).await?;
    rows.iter().map(stored).collect()
}

fn stored(row: &PgRow) -> Result<StoredExecution> {
    let id = |column| row.try_get::<Option<Uuid>, &str>(column).map(|id| id.map(ExecutionId::from));
    Ok(StoredExecution {
        id: row.try_get::<Uuid, _>("id")?.into(),
        workflow: row.try_get("workflow")?,
        name: row.try_get("name")?,
        status: row.try_get::<&str, _>("status")?.parse()?,
        attempt: count(row.try_get("attempts")?).saturating_add(1),
        started_at: row.try_get::<Time, _>("started_at")?.0,
        due_at: row.try_get::<Time, _>("due_at")?.0,
        ended_at: row.try_get::<Option<Time>, _>("ended_at")?.map(|time| time.0),
        key: row.try_get("key")?,
        previous: id("previous")?,
        next: id("next")?,
        failed_node: row.try_get("failed_node")?,
        message: row.try_get("message")?,
        trigger: serde_json::Value::Null,
        nodes: Vec::new(),
    })
}

fn stored_node(row: &PgRow) -> Result<StoredNode> {
    Ok(StoredNode {
        number: number(row.try_get("number")?),
        task: row.try_get::<Option<Uuid>, _>("task")?.map(TaskId::from),
        status: row.try_get::<&str, _>("status")?.parse()?,
        began_at: row.try_get::<Time, _>("began_at")?.0,
        ended_at: row.try_get::<Option<Time>, _>("ended_at")?.map(|time| time.0),
        left_out: row.try_get::<Option<i64>, _>("left_out")?.map(i64::unsigned_abs),
        result: row.try_get::<Option<&str>, _>("result")?.map(decode).transpose()?,
        message: row.try_get("message")?,
    })
}
