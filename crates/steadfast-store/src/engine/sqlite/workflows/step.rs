//! New executions, each with its first nodes, and their steps.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Serialize;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

use super::super::name_cache::NameCache;
use super::super::row::{Hex, encode};
use super::super::submit::when;
use super::super::{audit, requeue, submit};
use super::hex;
use crate::control::Requeue;
use crate::engine::Submitted;
use crate::error::{Result, StoreError};
use crate::events::notifier::PendingWakes;
use crate::queue::submit::CheckedTask;
use crate::task::Status;
use crate::task::filter::Filter;
use crate::workflow::{
    ExecutionError, ExecutionId, FollowUp, NewExecution, NewNode, Started, Step,
};

/// The owner of a key, and whether it is the same work.
const EXISTING_BY_KEY: &str = "SELECT id, workflow = ?2 AND started_with = ?3 \
     FROM steadfast_executions WHERE key = ?1";
const END_NODES: &str = include_str!("../sql/execution_end_nodes.sql");
const START_NODES: &str = include_str!("../sql/execution_start_nodes.sql");
const RESUME_NODES: &str = include_str!("../sql/execution_resume_nodes.sql");

#[derive(Serialize)]
struct NewRow<'n> {
    id: Hex,
    workflow: i64,
    due_at: i64,
    counted_from: Option<i64>,
    key: Option<&'n str>,
    previous: Option<Hex>,
    attempts: u32,
    rate_limit_waits: u32,
    previous_delay: i64,
    started_with: &'n str,
}

impl<'n> NewRow<'n> {
    fn of(FollowUp { new, previous }: FollowUp<'n>, now: i64) -> Self {
        Self {
            id: hex(new.id),
            workflow: new.workflow,
            due_at: when(new.run_at, now),
            counted_from: new.counted_from.map(Timestamp::as_microsecond),
            key: new.key.as_deref(),
            previous: previous.map(hex),
            attempts: new.progress.attempts,
            rate_limit_waits: new.progress.rate_limit_waits,
            previous_delay: new.progress.previous.cast_signed(),
            started_with: &new.trigger,
        }
    }
}

pub(super) async fn start_executions(
    connection: &mut SqliteConnection,
    new: &[NewExecution<CheckedTask>],
    now: i64,
    names: &NameCache,
) -> Result<(Vec<Started>, PendingWakes)> {
    let all: Vec<_> = new.iter().map(|new| FollowUp { new, previous: None }).collect();
    let inserted = insert(connection, &all, now).await?;
    let mut answers = Vec::with_capacity(new.len());
    for one in new {
        answers.push(match inserted.contains(&one.id) {
            true => Started { id: one.id, existed: false },
            false => existing(connection, one).await?,
        });
    }
    let started = || new.iter().filter(|one| inserted.contains(&one.id));
    let entries: Vec<_> = started().filter_map(|one| one.audit.clone()).collect();
    audit::audit(connection, &entries, now).await?;
    let nodes: Vec<_> = started().flat_map(NewExecution::first_nodes).collect();
    let wakes = start_nodes(connection, &nodes, now, names).await?;
    Ok((answers, wakes))
}

/// Inserts the executions without a conflict, and returns their ids.
async fn insert(
    connection: &mut SqliteConnection,
    new: &[FollowUp<'_>],
    now: i64,
) -> Result<HashSet<ExecutionId>> {
    let list: Vec<_> = new.iter().map(|one| NewRow::of(*one, now)).collect();
    let ids = sqlx::query_scalar(include_str!("../sql/execution_start.sql"))
        .bind(encode(&list)?)
        .bind(now);
    let ids: Vec<String> = ids.fetch_all(connection).await?;
    parse_ids(&ids)
}

pub(super) fn parse_ids(ids: &[String]) -> Result<HashSet<ExecutionId>> {
    let parse = |id: &String| Ok(id.parse::<ExecutionId>()?);
    ids.iter().map(parse).collect()
}

/// The existing execution that conflicts with a new one.
async fn existing(
    connection: &mut SqliteConnection,
    new: &NewExecution<CheckedTask>,
) -> Result<Started> {
    let found = match &new.key {
        Some(key) => {
            let found =
                sqlx::query(EXISTING_BY_KEY).bind(key).bind(new.workflow).bind(&new.trigger);
            found.fetch_optional(connection).await?
        }
        None => None,
    };
    let Some(row) = found else {
        // The execution was sent twice.
        return Ok(Started { id: new.id, existed: true });
    };
    let existing: ExecutionId = row.try_get::<Uuid, _>(0)?.into();
    if row.try_get::<bool, _>(1)? {
        return Ok(Started { id: existing, existed: true });
    }
    let key = new.key.clone().unwrap_or_default();
    Err(StoreError::from(ExecutionError::KeyTaken { key, existing }))
}

#[derive(Serialize)]
struct StepRow<'s> {
    id: Hex,
    version: i64,
    status: Option<&'static str>,
    next: Option<Hex>,
    failed_node: Option<&'s str>,
    message: Option<&'s str>,
}

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
    let locked = sqlx::query_scalar(include_str!("../sql/execution_lock_current.sql"));
    let locked = locked.bind(encode(&rows)?).bind(now);
    let locked: Vec<String> = locked.fetch_all(&mut *connection).await?;
    let locked = parse_ids(&locked)?;
    let current: Vec<&Step<CheckedTask>> =
        steps.iter().filter(|step| locked.contains(&step.execution)).collect();
    let ended: Vec<_> = current.iter().copied().flat_map(ended).collect();
    if write_nodes(connection, END_NODES, &ended, now).await? < ended.len() as u64 {
        return Err(ExecutionError::Changed.into());
    }
    let deferred: Vec<_> = current.iter().copied().flat_map(deferred).collect();
    write_nodes(connection, START_NODES, &deferred, now).await?;
    let resumed: Vec<_> = current.iter().copied().flat_map(resumed).collect();
    write_nodes(connection, RESUME_NODES, &resumed, now).await?;
    let mut wakes = requeue_tasks(connection, &current, now).await?;
    let follow_ups: Vec<_> = current.iter().filter_map(|step| FollowUp::of(step)).collect();
    let inserted = match follow_ups.is_empty() {
        true => Default::default(),
        false => insert(connection, &follow_ups, now).await?,
    };
    let mut nodes: Vec<_> = current.iter().flat_map(|step| step.new_nodes()).collect();
    nodes.retain(|(id, ..)| locked.contains(id) || inserted.contains(id));
    wakes.merge(start_nodes(connection, &nodes, now, names).await?);
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

fn ended(step: &Step<CheckedTask>) -> impl Iterator<Item = NodeRow<'_>> {
    step.ended.iter().map(|one| NodeRow {
        status: Some(one.status.name()),
        message: one.message.as_deref(),
        ..empty_row(step.execution, one.number)
    })
}

fn deferred(step: &Step<CheckedTask>) -> impl Iterator<Item = NodeRow<'_>> {
    step.deferred.iter().map(|one| NodeRow {
        message: Some(one.message.as_str()),
        ..empty_row(step.execution, one.number)
    })
}

fn resumed(step: &Step<CheckedTask>) -> impl Iterator<Item = NodeRow<'_>> {
    step.resumed.iter().map(|one| empty_row(step.execution, one.number))
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
async fn start_nodes(
    connection: &mut SqliteConnection,
    nodes: &[NewNode<'_>],
    now: i64,
    names: &NameCache,
) -> Result<PendingWakes> {
    let tasks: Vec<_> = nodes.iter().map(|(_, _, task)| *task).collect();
    let (submitted, wakes) = submit::write(connection, &tasks, now, names).await?;
    let row = |((execution, number, _), submitted): (&NewNode<'_>, Submitted)| NodeRow {
        task: Some(Hex(submitted.id)),
        ..empty_row(*execution, *number)
    };
    let rows: Vec<_> = nodes.iter().zip(submitted).map(row).collect();
    write_nodes(connection, START_NODES, &rows, now).await?;
    Ok(wakes)
}
