//! New executions and their steps.
//!
//! An execution starts with its first nodes in the same transaction. All steps of a call are one transaction of a few statements. The first statement finds the
//! steps that are current and locks their executions; the others write what belongs to those.

use std::collections::{HashMap, HashSet};

use sqlx::{PgConnection, Row};
use uuid::Uuid;

use super::super::row::{column, int};
use super::super::submit::{TaskNumbers, absolute, insert_new, relative};
use super::super::{Postgres, audit, requeue};
use crate::control::Requeue;
use crate::engine::time::Time;
use crate::error::Result;
use crate::events::notifier::PendingWakes;
use crate::queue::submit::CheckedTask;
use crate::task::Status;
use crate::task::filter::Filter;
use crate::workflow::{
    ExecutionError, ExecutionId, FollowUp, NewExecution, NewNode, Started, Step,
};

const START_NODES: &str = include_str!("../sql/execution_start_nodes.sql");

/// The owners of keys, and whether they are the same work.
const EXISTING_BY_KEY: &str = "SELECT g.id, x.id, x.key, \
         x.workflow = g.workflow AND x.started_with = g.started_with \
     FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) AS g (id, key, workflow, started_with) \
     JOIN steadfast.executions x ON x.key = g.key";

pub(super) async fn start_executions(
    engine: &Postgres,
    new: Vec<NewExecution<CheckedTask>>,
) -> Result<Vec<Started>> {
    let all: Vec<_> = new.iter().map(|new| FollowUp { new, previous: None }).collect();
    let mut nodes = engine.numbered(new.iter().flat_map(NewExecution::first_nodes)).await?;
    let mut transaction = engine.pool.begin().await?;
    let inserted = insert(&mut transaction, &all).await?;
    let old: Vec<_> = new.iter().filter(|one| !inserted.contains(&one.id)).collect();
    let existing = existing_by_key(&mut transaction, &old).await?;
    nodes.retain(|((id, ..), _)| inserted.contains(id));
    let wakes = start_nodes(&mut transaction, &nodes).await?;
    let started = new.iter().filter(|one| inserted.contains(&one.id));
    let entries: Vec<_> = started.filter_map(|one| one.audit.clone()).collect();
    audit::audit(&mut transaction, &entries).await?;
    transaction.commit().await?;
    engine.notifier.notify_all(wakes);
    // An execution that is neither new nor has a taken key was sent twice.
    let answer = |one: &NewExecution<CheckedTask>| Started {
        id: existing.get(&one.id).copied().unwrap_or(one.id),
        existed: !inserted.contains(&one.id),
    };
    Ok(new.iter().map(answer).collect())
}

/// Inserts the executions without a conflict, and returns their ids.
async fn insert(
    connection: &mut PgConnection,
    new: &[FollowUp<'_>],
) -> Result<HashSet<ExecutionId>> {
    let ids: Vec<Uuid> = sqlx::query_scalar(include_str!("../sql/execution_start.sql"))
        .bind(column(new, |one| one.new.id.uuid()))
        .bind(column(new, |one| one.new.workflow))
        .bind(column(new, |one| absolute(one.new.run_at)))
        .bind(column(new, |one| relative(one.new.run_at)))
        .bind(column(new, |one| one.new.counted_from.map(Time)))
        .bind(column(new, |one| one.new.key.as_deref()))
        .bind(column(new, |one| one.previous.map(ExecutionId::uuid)))
        .bind(column(new, |one| int(one.new.progress.attempts)))
        .bind(column(new, |one| int(one.new.progress.rate_limit_waits)))
        .bind(column(new, |one| one.new.progress.previous.cast_signed()))
        .bind(column(new, |one| one.new.trigger.as_str()))
        .fetch_all(connection)
        .await?;
    Ok(ids.into_iter().map(ExecutionId::from).collect())
}

/// The executions that own the keys of those that were not inserted.
async fn existing_by_key(
    connection: &mut PgConnection,
    old: &[&NewExecution<CheckedTask>],
) -> Result<HashMap<ExecutionId, ExecutionId>> {
    if old.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(EXISTING_BY_KEY)
        .bind(column(old, |one| one.id.uuid()))
        .bind(column(old, |one| one.key.as_deref()))
        .bind(column(old, |one| one.workflow))
        .bind(column(old, |one| one.trigger.as_str()))
        .fetch_all(connection)
        .await?;
    let mut found = HashMap::with_capacity(rows.len());
    for row in rows {
        let existing: ExecutionId = row.try_get::<Uuid, _>(1)?.into();
        if !row.try_get::<bool, _>(3)? {
            return Err(ExecutionError::KeyTaken { key: row.try_get(2)?, existing }.into());
        }
        found.insert(row.try_get::<Uuid, _>(0)?.into(), existing);
    }
    Ok(found)
}

impl Postgres {
    /// The nodes with the numbers of their tasks. Numbers are assigned outside the transaction, and
    /// so cached even if it fails.
    async fn numbered<'t>(
        &self,
        nodes: impl Iterator<Item = NewNode<'t>>,
    ) -> Result<Vec<(NewNode<'t>, TaskNumbers)>> {
        let nodes: Vec<_> = nodes.collect();
        let numbers = self.numbers(&column(&nodes, |(_, _, task)| *task)).await?;
        Ok(nodes.into_iter().zip(numbers).collect())
    }
}

pub(super) async fn apply_steps(
    engine: &Postgres,
    steps: Vec<Step<CheckedTask>>,
) -> Result<Vec<bool>> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let mut nodes = engine.numbered(steps.iter().flat_map(Step::new_nodes)).await?;
    let mut transaction = engine.pool.begin().await?;
    let locked = lock_current(&mut transaction, &steps).await?;
    let current: Vec<&Step<CheckedTask>> =
        steps.iter().filter(|step| locked.contains(&step.execution)).collect();
    end_nodes(&mut transaction, &current).await?;
    fail_nodes(&mut transaction, &current).await?;
    let has_resumed = resume_nodes(&mut transaction, &current).await?;
    let follow_ups = follow_up(&mut transaction, &current).await?;
    nodes.retain(|((id, ..), _)| locked.contains(id) || follow_ups.contains(id));
    let mut wakes = start_nodes(&mut transaction, &nodes).await?;
    if has_resumed {
        wakes.merge(PendingWakes::pending());
    }
    let entries: Vec<_> = current.iter().filter_map(|step| step.audit.clone()).collect();
    audit::audit(&mut transaction, &entries).await?;
    transaction.commit().await?;
    engine.notifier.notify_all(wakes);
    Ok(steps.iter().map(|step| locked.contains(&step.execution)).collect())
}

/// Inserts the follow-up executions, and returns the new ones.
async fn follow_up(
    connection: &mut PgConnection,
    steps: &[&Step<CheckedTask>],
) -> Result<HashSet<ExecutionId>> {
    let new: Vec<_> = steps.iter().filter_map(|step| FollowUp::of(step)).collect();
    if new.is_empty() { Ok(HashSet::new()) } else { insert(connection, &new).await }
}

async fn lock_current(
    connection: &mut PgConnection,
    steps: &[Step<CheckedTask>],
) -> Result<HashSet<ExecutionId>> {
    // In the order in which the statement locks them.
    let mut steps: Vec<_> = steps.iter().collect();
    steps.sort_unstable_by_key(|step| step.execution);
    let locked: Vec<Uuid> = sqlx::query_scalar(include_str!("../sql/execution_lock_current.sql"))
        .bind(column(&steps, |step| step.execution.uuid()))
        .bind(column(&steps, |step| step.version))
        .bind(column(&steps, |step| Some(step.ending.as_ref()?.status.name())))
        .bind(column(&steps, |step| step.ending.as_ref()?.node.as_deref()))
        .bind(column(&steps, |step| step.ending.as_ref()?.message.as_deref()))
        .bind(column(&steps, |step| Some(step.follow_up.as_ref()?.id.uuid())))
        .fetch_all(connection)
        .await?;
    Ok(locked.into_iter().map(ExecutionId::from).collect())
}

/// The nodes of all steps, each with its execution.
fn nodes_of<'s, T>(
    steps: &[&'s Step<CheckedTask>],
    nodes: impl Fn(&'s Step<CheckedTask>) -> &'s [T],
) -> Vec<(ExecutionId, &'s T)> {
    let of_step = |step: &&'s Step<CheckedTask>| {
        let execution = step.execution;
        nodes(step).iter().map(move |node| (execution, node))
    };
    steps.iter().flat_map(of_step).collect()
}

async fn end_nodes(connection: &mut PgConnection, steps: &[&Step<CheckedTask>]) -> Result<()> {
    let ended = nodes_of(steps, |step| &step.ended);
    if ended.is_empty() {
        return Ok(());
    }
    let written = sqlx::query(include_str!("../sql/execution_end_nodes.sql"))
        .bind(column(&ended, |(execution, _)| execution.uuid()))
        .bind(column(&ended, |(_, node)| small(node.number)))
        .bind(column(&ended, |(_, node)| node.status.name()))
        .bind(column(&ended, |(_, node)| node.message.as_deref()))
        .execute(connection)
        .await?;
    if written.rows_affected() < ended.len() as u64 {
        return Err(ExecutionError::Changed.into());
    }
    Ok(())
}

/// Writes nodes and their tasks. A node gets the existing task with its key, if there is one.
async fn start_nodes(
    connection: &mut PgConnection,
    nodes: &[(NewNode<'_>, TaskNumbers)],
) -> Result<PendingWakes> {
    if nodes.is_empty() {
        return Ok(PendingWakes::default());
    }
    let tasks = column(nodes, |((_, _, task), _)| *task);
    let numbers = column(nodes, |(_, numbers)| *numbers);
    let (submitted, wakes) = insert_new(connection, &tasks, &numbers).await?;
    sqlx::query(START_NODES)
        .bind(column(nodes, |((execution, ..), _)| execution.uuid()))
        .bind(column(nodes, |((_, number, _), _)| small(*number)))
        .bind(column(&submitted, |task| Some(task.id.uuid())))
        .bind(column(nodes, |_| None::<&str>))
        .execute(connection)
        .await?;
    Ok(wakes)
}

async fn fail_nodes(connection: &mut PgConnection, steps: &[&Step<CheckedTask>]) -> Result<()> {
    let deferred = nodes_of(steps, |step| &step.deferred);
    if deferred.is_empty() {
        return Ok(());
    }
    sqlx::query(START_NODES)
        .bind(column(&deferred, |(execution, _)| execution.uuid()))
        .bind(column(&deferred, |(_, node)| small(node.number)))
        .bind(column(&deferred, |_| None::<Uuid>))
        .bind(column(&deferred, |(_, node)| node.message.as_str()))
        .execute(connection)
        .await?;
    Ok(())
}

/// Requeues the failed and cancelled tasks of resumed nodes, and returns whether there were any.
/// A task that has completed since it was read stays completed.
async fn resume_nodes(connection: &mut PgConnection, steps: &[&Step<CheckedTask>]) -> Result<bool> {
    let resumed = nodes_of(steps, |step| &step.resumed);
    if resumed.is_empty() {
        return Ok(false);
    }
    sqlx::query(include_str!("../sql/execution_resume_nodes.sql"))
        .bind(column(&resumed, |(execution, _)| execution.uuid()))
        .bind(column(&resumed, |(_, node)| small(node.number)))
        .execute(&mut *connection)
        .await?;
    let tasks = column(&resumed, |(_, node)| node.task);
    for status in [Status::Failed, Status::Cancelled] {
        let filter = Filter { ids: Some(tasks.clone()), status: Some(status), ..Filter::all() };
        requeue::requeue(connection, &filter, &Requeue::fresh()).await?;
    }
    Ok(true)
}

/// A node number for a column. A workflow has far fewer nodes than fit.
fn small(number: u16) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}
