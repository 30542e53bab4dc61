//! Steps of executions.
//!
//! All steps of a call are one transaction of a few statements. The first statement finds the
//! steps that are current and locks their executions; the others write what belongs to those.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use super::super::submit::{TaskNumbers, insert_new};
use super::super::{Postgres, audit, requeue};
use super::start::{first_nodes, insert};
use crate::control::Requeue;
use crate::engine::PendingWakes;
use crate::error::Result;
use crate::queue::submit::CheckedTask;
use crate::task::Status;
use crate::task::filter::Filter;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, Step};

const LOCK_CURRENT: &str = include_str!("../sql/execution_lock_current.sql");
const END_NODES: &str = include_str!("../sql/execution_end_nodes.sql");
const START_NODES: &str = include_str!("../sql/execution_start_nodes.sql");
const RESUME_NODES: &str = include_str!("../sql/execution_resume_nodes.sql");

/// A node whose task is submitted, with the numbers of its queue and policy.
pub(super) struct NewNode<'t> {
    pub(super) execution: ExecutionId,
    number: u16,
    task: &'t CheckedTask,
    numbers: TaskNumbers,
}

impl Postgres {
    /// Numbers are assigned outside the transaction, and so cached even if it fails.
    pub(super) async fn numbered<'t>(
        &self,
        nodes: impl Iterator<Item = (ExecutionId, u16, &'t CheckedTask)>,
    ) -> Result<Vec<NewNode<'t>>> {
        let nodes: Vec<_> = nodes.collect();
        let tasks: Vec<&CheckedTask> = nodes.iter().map(|(_, _, task)| *task).collect();
        let numbers = self.numbers(&tasks).await?;
        let numbered =
            |((execution, number, task), numbers)| NewNode { execution, number, task, numbers };
        Ok(nodes.into_iter().zip(numbers).map(numbered).collect())
    }
}

pub(super) async fn apply_steps(
    engine: &Postgres,
    steps: Vec<Step<CheckedTask>>,
) -> Result<Vec<bool>> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let mut nodes = engine.numbered(steps.iter().flat_map(new_nodes)).await?;
    let mut transaction = engine.pool.begin().await?;
    let locked = lock_current(&mut transaction, &steps).await?;
    let current: Vec<&Step<CheckedTask>> =
        steps.iter().filter(|step| locked.contains(&step.execution)).collect();
    end_nodes(&mut transaction, &current).await?;
    fail_nodes(&mut transaction, &current).await?;
    let has_resumed = resume_nodes(&mut transaction, &current).await?;
    let follow_ups = follow_up(&mut transaction, &current).await?;
    nodes.retain(|node| locked.contains(&node.execution) || follow_ups.contains(&node.execution));
    let mut wakes = start_nodes(&mut transaction, &nodes).await?;
    if has_resumed {
        wakes.merge(PendingWakes::pending());
    }
    let entries: Vec<_> = current.iter().filter_map(|step| step.audit.clone()).collect();
    if !entries.is_empty() {
        audit::audit(&mut transaction, &entries).await?;
    }
    transaction.commit().await?;
    engine.notifier.notify_all(wakes);
    Ok(steps.iter().map(|step| locked.contains(&step.execution)).collect())
}

/// The nodes that a step starts, and the first nodes of its follow-up.
fn new_nodes(step: &Step<CheckedTask>) -> impl Iterator<Item = (ExecutionId, u16, &CheckedTask)> {
    let own = step.started.iter().map(|node| (step.execution, node.number, &node.task));
    own.chain(step.follow_up.iter().flat_map(|next| first_nodes(next)))
}

/// Inserts the follow-up executions, and returns the new ones.
async fn follow_up(
    connection: &mut PgConnection,
    steps: &[&Step<CheckedTask>],
) -> Result<HashSet<ExecutionId>> {
    let new: Vec<_> = steps.iter().filter_map(|step| FollowUp::of(step)).collect();
    if new.is_empty() { Ok(HashSet::new()) } else { insert(connection, &new).await }
}

/// Locks the executions whose steps are current.
async fn lock_current(
    connection: &mut PgConnection,
    steps: &[Step<CheckedTask>],
) -> Result<HashSet<ExecutionId>> {
    // In the order in which the statement locks them.
    let mut steps: Vec<_> = steps.iter().collect();
    steps.sort_unstable_by_key(|step| step.execution);
    let ending = || steps.iter().map(|step| step.ending.as_ref());
    let next = || steps.iter().map(|step| Some(step.follow_up.as_ref()?.id.uuid()));
    let locked: Vec<Uuid> = sqlx::query_scalar(LOCK_CURRENT)
        .bind(steps.iter().map(|step| step.execution.uuid()).collect::<Vec<_>>())
        .bind(steps.iter().map(|step| step.version).collect::<Vec<_>>())
        .bind(ending().map(|ending| Some(ending?.status.name())).collect::<Vec<_>>())
        .bind(ending().map(|ending| ending?.node.as_deref()).collect::<Vec<_>>())
        .bind(ending().map(|ending| ending?.message.as_deref()).collect::<Vec<_>>())
        .bind(next().collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    Ok(locked.into_iter().map(ExecutionId::from).collect())
}

async fn end_nodes(connection: &mut PgConnection, steps: &[&Step<CheckedTask>]) -> Result<()> {
    let each = || steps.iter().flat_map(|step| step.ended.iter().map(|end| (step.execution, end)));
    if each().next().is_none() {
        return Ok(());
    }
    let written = sqlx::query(END_NODES)
        .bind(each().map(|(id, _)| id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|(_, end)| small(end.number)).collect::<Vec<_>>())
        .bind(each().map(|(_, end)| end.status.name()).collect::<Vec<_>>())
        .bind(each().map(|(_, end)| end.message.as_deref()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    if written.rows_affected() < each().count() as u64 {
        return Err(ExecutionError::Changed.into());
    }
    Ok(())
}

/// Writes nodes and their tasks. A node gets the existing task with its key, if there is one.
pub(super) async fn start_nodes(
    connection: &mut PgConnection,
    nodes: &[NewNode<'_>],
) -> Result<PendingWakes> {
    if nodes.is_empty() {
        return Ok(PendingWakes::default());
    }
    let tasks: Vec<_> = nodes.iter().map(|node| node.task).collect();
    let numbers: Vec<_> = nodes.iter().map(|node| node.numbers).collect();
    let (submitted, wakes) = insert_new(connection, &tasks, &numbers).await?;
    sqlx::query(START_NODES)
        .bind(nodes.iter().map(|node| node.execution.uuid()).collect::<Vec<_>>())
        .bind(nodes.iter().map(|node| small(node.number)).collect::<Vec<_>>())
        .bind(submitted.iter().map(|task| Some(task.id.uuid())).collect::<Vec<_>>())
        .bind(vec![None::<&str>; nodes.len()])
        .execute(connection)
        .await?;
    Ok(wakes)
}

/// Writes nodes that could not start.
async fn fail_nodes(connection: &mut PgConnection, steps: &[&Step<CheckedTask>]) -> Result<()> {
    let each =
        || steps.iter().flat_map(|step| step.deferred.iter().map(|one| (step.execution, one)));
    if each().next().is_none() {
        return Ok(());
    }
    sqlx::query(START_NODES)
        .bind(each().map(|(id, _)| id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|(_, one)| small(one.number)).collect::<Vec<_>>())
        .bind(each().map(|_| None::<Uuid>).collect::<Vec<_>>())
        .bind(each().map(|(_, one)| one.message.as_str()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// Requeues the failed and cancelled tasks of resumed nodes, and returns whether there were any.
/// A task that has completed since it was read stays completed.
async fn resume_nodes(connection: &mut PgConnection, steps: &[&Step<CheckedTask>]) -> Result<bool> {
    let each =
        || steps.iter().flat_map(|step| step.resumed.iter().map(|one| (step.execution, one)));
    if each().next().is_none() {
        return Ok(false);
    }
    sqlx::query(RESUME_NODES)
        .bind(each().map(|(id, _)| id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|(_, one)| small(one.number)).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await?;
    let tasks: Vec<_> = each().map(|(_, one)| one.task).collect();
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
