//! Reading workflows and executions.

use serde::Deserialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, SqliteConnection};
use steadfast::decide::Progress;
use uuid::Uuid;

use super::super::history;
use super::super::row::{Hex, decode, encode, ids, timestamp};
use super::hex;
use crate::error::{InputError, Result};
use crate::page::{Cursor, Page, PageRequest};
use crate::task::TaskId;
use crate::task::decode_error::DecodeErrors;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES,
    MissedCompletion, NodeState, NodeValue, OrphanedNodes, Outcome, StoredExecution, StoredNode,
    ValuesWanted, WorkflowDefinition,
};

const WORKFLOW: &str =
    "SELECT number, name, body, kept_at FROM steadfast_workflows WHERE number = ?1";
const WORKFLOWS: &str = include_str!("../sql/workflows.sql");
const EXECUTION_STATES: &str = include_str!("../sql/execution_states.sql");
const EXECUTION_VALUES: &str = include_str!("../sql/execution_values.sql");
const FAILURES: &str = include_str!("../sql/execution_failures.sql");
const EXECUTIONS_OF_TASKS: &str = "SELECT DISTINCT node.execution FROM json_each(?1) AS wanted \
     CROSS JOIN steadfast_nodes AS node INDEXED BY steadfast_nodes_submitted \
     ON node.task = unhex(wanted.value) AND node.status = 'submitted'";
const MISSED_COMPLETIONS: &str = include_str!("../sql/execution_missed_completions.sql");
const ORPHANED_NODES: &str = include_str!("../sql/execution_orphaned_nodes.sql");
const EXECUTION: &str = include_str!("../sql/execution.sql");
const EXECUTION_NODES: &str = include_str!("../sql/execution_nodes.sql");
const EXECUTIONS: &str = include_str!("../sql/executions.sql");
const EXECUTION_CHAIN: &str = include_str!("../sql/execution_chain.sql");

pub(super) async fn workflow(
    connection: &mut SqliteConnection,
    number: i64,
) -> Result<Option<WorkflowDefinition>> {
    let row = sqlx::query(WORKFLOW).bind(number).fetch_optional(connection).await?;
    row.map(|row| definition(&row)).transpose()
}

pub(super) async fn workflows(
    connection: &mut SqliteConnection,
    page: &PageRequest,
) -> Result<Page<WorkflowDefinition>> {
    let rows = sqlx::query(WORKFLOWS)
        .bind(page.number()?)
        .bind(i64::from(page.limit) + 1)
        .bind(MAX_SHOWN_BYTES.cast_signed());
    let rows = rows.fetch_all(connection).await?;
    let definitions = rows.iter().map(definition).collect::<Result<Vec<_>>>()?;
    Ok(WorkflowDefinition::page(definitions, page))
}

fn definition(row: &SqliteRow) -> Result<WorkflowDefinition> {
    Ok(WorkflowDefinition {
        number: row.try_get(0)?,
        name: row.try_get(1)?,
        text: row.try_get(2)?,
        kept_at: timestamp(row.try_get(3)?),
    })
}

/// A node's number, status and task, and the state of the task.
#[derive(Deserialize)]
struct Node<'t>(u16, &'t str, &'t str, &'t str);

pub(super) async fn execution_states(
    connection: &mut SqliteConnection,
    wanted: &[ExecutionId],
) -> Result<Vec<ExecutionState>> {
    let wanted: Vec<Hex> = wanted.iter().copied().map(hex).collect();
    let rows = sqlx::query(EXECUTION_STATES).bind(encode(&wanted)?).fetch_all(connection).await?;
    rows.iter().map(state).collect()
}

fn state(row: &SqliteRow) -> Result<ExecutionState> {
    let nodes: Vec<Node<'_>> = serde_json::from_str(row.try_get("nodes")?)
        .map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(ExecutionState {
        id: row.try_get::<Uuid, _>("id")?.into(),
        workflow: row.try_get("workflow")?,
        version: row.try_get("version")?,
        status: row.try_get::<&str, _>("status")?.parse()?,
        progress: Progress {
            attempts: row.try_get("attempts")?,
            rate_limit_waits: row.try_get("rate_limit_waits")?,
            previous: row.try_get::<i64, _>("previous_delay")?.cast_unsigned(),
        },
        counted_from: timestamp(row.try_get("counted_from")?),
        is_followed: row.try_get("is_followed")?,
        now: timestamp(row.try_get("now")?),
        nodes: nodes.into_iter().map(node_state).collect::<Result<_>>()?,
    })
}

fn node_state(Node(number, status, task, outcome): Node<'_>) -> Result<NodeState> {
    let outcome = match outcome {
        "open" => Outcome::Open,
        "gone" => Outcome::Pruned,
        ended => Outcome::Ended(ended.parse()?),
    };
    // SQLite encodes a missing id as an empty text.
    let task = if task.is_empty() { None } else { Some(task.parse()?) };
    Ok(NodeState { number, status: status.parse()?, task, outcome })
}

pub(super) async fn execution_values(
    connection: &mut SqliteConnection,
    wanted: &[ValuesWanted],
    max_bytes: u64,
) -> Result<Option<Vec<NodeValue>>> {
    let bytes = i64::try_from(max_bytes).unwrap_or(i64::MAX);
    let triggers: Vec<Hex> =
        wanted.iter().filter(|one| one.trigger).map(|one| hex(one.execution)).collect();
    let nodes: Vec<(Hex, u16)> = wanted
        .iter()
        .flat_map(|one| one.nodes.iter().map(|node| (hex(one.execution), *node)))
        .collect();
    let rows =
        sqlx::query(EXECUTION_VALUES).bind(encode(&triggers)?).bind(encode(&nodes)?).bind(bytes);
    let rows = rows.fetch_all(connection).await?;
    let value = |row: &SqliteRow| {
        Ok(NodeValue {
            execution: row.try_get::<Uuid, _>(0)?.into(),
            node: row.try_get(1)?,
            json: row.try_get(2)?,
        })
    };
    let values = rows.iter().map(value).collect::<Result<Vec<_>>>()?;
    Ok(NodeValue::within(values, max_bytes))
}

pub(super) async fn failures(
    connection: &mut SqliteConnection,
    tasks: &[TaskId],
) -> Result<Vec<Failure>> {
    let rows =
        sqlx::query(FAILURES).bind(ids(tasks.iter().copied())?).fetch_all(connection).await?;
    rows.iter().map(failure).collect()
}

fn failure(row: &SqliteRow) -> Result<Failure> {
    let task: TaskId = row.try_get::<Uuid, _>("id")?.into();
    // Decode errors are reported where the task itself is read.
    let faults = history::faults(row, task, &mut DecodeErrors::default())?;
    Ok(Failure {
        task,
        reason: row.try_get::<Option<&str>, _>("reason")?.and_then(Failure::reason_of),
        message: row.try_get("message")?,
        fault: faults.into_iter().last().map(|record| record.fault),
    })
}

pub(super) async fn executions_of_tasks(
    connection: &mut SqliteConnection,
    tasks: &[TaskId],
) -> Result<Vec<ExecutionId>> {
    let found = sqlx::query_scalar(EXECUTIONS_OF_TASKS).bind(ids(tasks.iter().copied())?);
    let found: Vec<Uuid> = found.fetch_all(connection).await?;
    Ok(found.into_iter().map(ExecutionId::from).collect())
}

pub(super) async fn missed_completions(
    connection: &mut SqliteConnection,
    since: i64,
    limit: u32,
) -> Result<MissedCompletion> {
    let found: Vec<Uuid> = sqlx::query_scalar(MISSED_COMPLETIONS)
        .bind(since)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    let is_all = found.len() < limit as usize;
    Ok(MissedCompletion { executions: found.into_iter().map(ExecutionId::from).collect(), is_all })
}

pub(super) async fn orphaned_nodes(
    connection: &mut SqliteConnection,
    after: Option<TaskId>,
    limit: u32,
) -> Result<OrphanedNodes> {
    let after = after.map_or(Uuid::nil(), TaskId::uuid);
    let rows = sqlx::query(ORPHANED_NODES).bind(after).bind(limit).fetch_all(connection).await?;
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

pub(super) async fn execution(
    connection: &mut SqliteConnection,
    id: ExecutionId,
) -> Result<Option<StoredExecution>> {
    loop {
        let row = sqlx::query(EXECUTION).bind(id.uuid()).fetch_optional(&mut *connection).await?;
        let Some(row) = row else { return Ok(None) };
        let nodes =
            sqlx::query(EXECUTION_NODES).bind(id.uuid()).bind(MAX_SHOWN_BYTES.cast_signed());
        let nodes = nodes.fetch_all(&mut *connection).await?;
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
fn is_torn(execution: &SqliteRow, nodes: &[SqliteRow]) -> Result<bool> {
    let Some(node) = nodes.first() else { return Ok(false) };
    let (before, after): (Option<i64>, Option<i64>) =
        (execution.try_get("version")?, node.try_get("version")?);
    Ok(before != after)
}

pub(super) async fn executions(
    connection: &mut SqliteConnection,
    filter: &ExecutionFilter,
    page: &PageRequest,
) -> Result<Page<StoredExecution>> {
    let mut statement = QueryBuilder::new(EXECUTIONS);
    if let Some(Cursor(after)) = &page.after {
        let foreign = |_| InputError::new("after", "not a cursor of this list; start without one");
        let after: ExecutionId = after.parse().map_err(foreign)?;
        statement.push(" AND execution.id < ").push_bind(after.uuid());
    }
    if let Some(status) = filter.status {
        statement.push(" AND execution.status = ").push_bind(status.name());
    }
    if let Some(workflow) = &filter.workflow {
        statement.push(" AND execution.name = ").push_bind(workflow.clone());
    }
    statement.push(" ORDER BY execution.id DESC LIMIT ").push_bind(i64::from(page.limit) + 1);
    let rows = statement.build().fetch_all(connection).await?;
    let mut items = rows.iter().map(stored).collect::<Result<Vec<_>>>()?;
    let is_more = items.len() > page.limit as usize;
    items.truncate(page.limit as usize);
    let last = items.last().filter(|_| is_more);
    let next = last.map(|execution| Cursor(execution.id.to_string()));
    Ok(Page { items, next })
}

pub(super) async fn execution_chain(
    connection: &mut SqliteConnection,
    id: ExecutionId,
) -> Result<Vec<StoredExecution>> {
    let rows = sqlx::query(EXECUTION_CHAIN)
        .bind(id.uuid())
        .bind(MAX_CHAIN_LENGTH)
        .fetch_all(connection)
        .await?;
    rows.iter().map(stored).collect()
}

fn stored(row: &SqliteRow) -> Result<StoredExecution> {
    let id = |column| row.try_get::<Option<Uuid>, &str>(column).map(|id| id.map(ExecutionId::from));
    Ok(StoredExecution {
        id: row.try_get::<Uuid, _>("id")?.into(),
        workflow: row.try_get("workflow")?,
        name: row.try_get("name")?,
        status: row.try_get::<&str, _>("status")?.parse()?,
        attempt: row.try_get::<u32, _>("attempts")?.saturating_add(1),
        started_at: timestamp(row.try_get("started_at")?),
        due_at: timestamp(row.try_get("due_at")?),
        ended_at: row.try_get::<Option<i64>, _>("ended_at")?.map(timestamp),
        key: row.try_get("key")?,
        previous: id("previous")?,
        next: id("next")?,
        failed_node: row.try_get("failed_node")?,
        message: row.try_get("message")?,
        trigger: serde_json::Value::Null,
        nodes: Vec::new(),
    })
}

fn stored_node(row: &SqliteRow) -> Result<StoredNode> {
    Ok(StoredNode {
        number: row.try_get("number")?,
        task: row.try_get::<Option<Uuid>, _>("task")?.map(TaskId::from),
        status: row.try_get::<&str, _>("status")?.parse()?,
        began_at: timestamp(row.try_get("began_at")?),
        ended_at: row.try_get::<Option<i64>, _>("ended_at")?.map(timestamp),
        left_out: row.try_get::<Option<i64>, _>("left_out")?.map(i64::unsigned_abs),
        result: row.try_get::<Option<&str>, _>("result")?.map(decode).transpose()?,
        message: row.try_get("message")?,
    })
}
