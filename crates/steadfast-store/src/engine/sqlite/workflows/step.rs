//! Steps of executions: which are current, and what they write.

use serde::Serialize;
use sqlx::SqliteConnection;

use super::super::name_cache::NameCache;
use super::super::row::{Hex, encode};
use super::super::{audit, requeue, submit};
use super::hex;
use super::start::{first_nodes, insert, parse_ids};
use crate::control::Requeue;
use crate::engine::{PendingWakes, Submitted};
use crate::error::Result;
use crate::queue::submit::CheckedTask;
use crate::task::Status;
use crate::task::filter::Filter;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, Step};

const LOCK_CURRENT: &str = include_str!("../sql/execution_lock_current.sql");
const END_NODES: &str = include_str!("../sql/execution_end_nodes.sql");
const START_NODES: &str = include_str!("../sql/execution_start_nodes.sql");
const RESUME_NODES: &str = include_str!("../sql/execution_resume_nodes.sql");

/// A step as JSON: its change of the execution.
#[derive(Serialize)]
struct StepRow<'s> {
    id: Hex,
    version: i64,
    status: Option<&'static str>,
    next: Option<Hex>,
    failed_node: Option<&'s str>,
    message: Option<&'s str>,
}

/// A node as JSON.
#[derive(Serialize)]
struct NodeRow<'s> {
    execution: Hex,
    number: u16,
    task: Option<Hex>,
    status: Option<&'static str>,
    message: Option<&'s str>,
}

pub(super) async fn apply_steps(
    connection: &mut SqliteConnection,
    steps: Vec<Step<CheckedTask>>,
    now: i64,
    names: &NameCache,
) -> Result<(Vec<bool>, PendingWakes)> {
    let rows: Vec<_> = steps.iter().map(StepRow::of).collect();
    let locked = sqlx::query_scalar(LOCK_CURRENT).bind(encode(&rows)?).bind(now);
    let locked: Vec<String> = locked.fetch_all(&mut *connection).await?;
    let locked = parse_ids(&locked)?;
    let current: Vec<&Step<CheckedTask>> =
        steps.iter().filter(|step| locked.contains(&step.execution)).collect();
    let ended = nodes(&current, ended);
    if write_nodes(connection, END_NODES, &ended, now).await? < ended.len() as u64 {
        return Err(ExecutionError::Changed.into());
    }
    write_nodes(connection, START_NODES, &nodes(&current, deferred), now).await?;
    write_nodes(connection, RESUME_NODES, &nodes(&current, resumed), now).await?;
    let mut wakes = requeue_tasks(connection, &current, now).await?;
    let follow_ups: Vec<_> = current.iter().filter_map(|step| FollowUp::of(step)).collect();
    let inserted = match follow_ups.is_empty() {
        true => Default::default(),
        false => insert(connection, &follow_ups, now).await?,
    };
    let own = current.iter().flat_map(|step| {
        step.started.iter().map(|node| (step.execution, node.number, node.task.clone()))
    });
    let next = follow_ups.into_iter().map(|next| next.new);
    let next = next.filter(|next| inserted.contains(&next.id)).flat_map(first_nodes);
    let started = start_nodes(connection, own.chain(next).collect(), now, names).await?;
    wakes.merge(started);
    let entries: Vec<_> = current.iter().filter_map(|step| step.audit.clone()).collect();
    audit::audit(connection, &entries, now).await?;
    let answers = steps.iter().map(|step| locked.contains(&step.execution)).collect();
    Ok((answers, wakes))
}

impl<'s> StepRow<'s> {
    fn of(step: &'s Step<CheckedTask>) -> Self {
        let ending = step.ending.as_ref();
        Self {
            id: hex(step.execution),
            version: step.version,
            status: ending.map(|ending| ending.status.name()),
            next: step.follow_up.as_ref().map(|next| hex(next.id)),
            failed_node: ending.and_then(|ending| ending.node.as_deref()),
            message: ending.and_then(|ending| ending.message.as_deref()),
        }
    }
}

fn nodes<'s>(
    steps: &[&'s Step<CheckedTask>],
    of: impl Fn(&'s Step<CheckedTask>) -> Vec<NodeRow<'s>>,
) -> Vec<NodeRow<'s>> {
    steps.iter().flat_map(|step| of(step)).collect()
}

fn ended(step: &Step<CheckedTask>) -> Vec<NodeRow<'_>> {
    let ended = step.ended.iter().map(|one| NodeRow {
        status: Some(one.status.name()),
        message: one.message.as_deref(),
        ..empty_row(step.execution, one.number)
    });
    ended.collect()
}

fn deferred(step: &Step<CheckedTask>) -> Vec<NodeRow<'_>> {
    let deferred = step.deferred.iter().map(|one| NodeRow {
        message: Some(one.message.as_str()),
        ..empty_row(step.execution, one.number)
    });
    deferred.collect()
}

fn resumed(step: &Step<CheckedTask>) -> Vec<NodeRow<'_>> {
    step.resumed.iter().map(|one| empty_row(step.execution, one.number)).collect()
}

/// A node without a task, a status and a message.
fn empty_row<'s>(execution: ExecutionId, number: u16) -> NodeRow<'s> {
    NodeRow { execution: hex(execution), number, task: None, status: None, message: None }
}

/// Returns the number of written rows.
async fn write_nodes(
    connection: &mut SqliteConnection,
    statement: &'static str,
    nodes: &[NodeRow<'_>],
    now: i64,
) -> Result<u64> {
    if nodes.is_empty() {
        return Ok(0);
    }
    let written =
        sqlx::query(statement).bind(encode(&nodes)?).bind(now).execute(connection).await?;
    Ok(written.rows_affected())
}

/// Requeues the failed and cancelled tasks of resumed nodes. A task that has completed since it
/// was read stays completed.
async fn requeue_tasks(
    connection: &mut SqliteConnection,
    steps: &[&Step<CheckedTask>],
    now: i64,
) -> Result<PendingWakes> {
    let resumed = steps.iter().flat_map(|step| &step.resumed);
    let tasks: Vec<_> = resumed.map(|one| one.task).collect();
    if tasks.is_empty() {
        return Ok(PendingWakes::default());
    }
    let mut wakes = PendingWakes::default();
    for status in [Status::Failed, Status::Cancelled] {
        let filter = Filter { ids: Some(tasks.clone()), status: Some(status), ..Filter::all() };
        let requeued = requeue::requeue(connection, &filter, &Requeue::fresh(), now).await?;
        wakes.merge(requeued.1);
    }
    Ok(wakes)
}

/// Writes nodes and their tasks. A node gets the existing task with its key, if there is one.
pub(super) async fn start_nodes(
    connection: &mut SqliteConnection,
    nodes: Vec<(ExecutionId, u16, CheckedTask)>,
    now: i64,
    names: &NameCache,
) -> Result<PendingWakes> {
    let (of, tasks): (Vec<_>, Vec<_>) =
        nodes.into_iter().map(|(execution, number, task)| ((execution, number), task)).unzip();
    let (submitted, wakes) = submit::write(connection, &tasks, now, names).await?;
    let row = |((execution, number), submitted): ((ExecutionId, u16), Submitted)| NodeRow {
        task: Some(Hex(submitted.id)),
        ..empty_row(execution, number)
    };
    let rows: Vec<_> = of.into_iter().zip(submitted).map(row).collect();
    write_nodes(connection, START_NODES, &rows, now).await?;
    Ok(wakes)
}
