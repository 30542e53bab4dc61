//! The steps that executions take.
//!
//! All steps of a call are one transaction of a few statements, however many they are. The first
//! of them says which steps hold, and locks their executions; the others write what belongs to
//! those.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use super::super::submit::{Numbers, Written, submit_carefully};
use super::super::{Postgres, audit, control};
use super::start::{first_nodes, insert};
use crate::control::Requeue;
use crate::error::Result;
use crate::queue::submit::Admission;
use crate::task::Status;
use crate::task::filter::Filter;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, Step};

const HOLD: &str = include_str!("../sql/execution_hold.sql");
const END: &str = include_str!("../sql/execution_nodes_end.sql");
const BEGIN: &str = include_str!("../sql/execution_nodes_begin.sql");
const RESUME: &str = include_str!("../sql/execution_nodes_resume.sql");

/// A node that becomes a task, with the numbers of its queue and policy.
pub(super) struct NewNode<'t> {
    pub(super) execution: ExecutionId,
    number: u16,
    task: &'t Admission,
    numbers: Numbers,
}

impl Postgres {
    /// Numbers are given outside the transaction, and remembered whatever becomes of it.
    pub(super) async fn numbered<'t>(
        &self,
        nodes: impl Iterator<Item = (ExecutionId, u16, &'t Admission)>,
    ) -> Result<Vec<NewNode<'t>>> {
        let nodes: Vec<_> = nodes.collect();
        let tasks: Vec<&Admission> = nodes.iter().map(|(_, _, task)| *task).collect();
        let numbers = self.numbers(&tasks).await?;
        let numbered =
            |((execution, number, task), numbers)| NewNode { execution, number, task, numbers };
        Ok(nodes.into_iter().zip(numbers).map(numbered).collect())
    }

    pub(super) async fn take_steps(&self, steps: Vec<Step<Admission>>) -> Result<Vec<bool>> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let mut nodes = self.numbered(steps.iter().flat_map(new_nodes)).await?;
        let mut transaction = self.pool.begin().await?;
        let held = hold(&mut transaction, &steps).await?;
        let holds: Vec<&Step<Admission>> =
            steps.iter().filter(|step| held.contains(&step.execution)).collect();
        end_nodes(&mut transaction, &holds).await?;
        fail_nodes(&mut transaction, &holds).await?;
        let has_resumed = resume_nodes(&mut transaction, &holds).await?;
        let follow_ups = follow_up(&mut transaction, &holds).await?;
        nodes.retain(|node| held.contains(&node.execution) || follow_ups.contains(&node.execution));
        let written = begin_nodes(&mut transaction, &nodes).await?;
        for entry in holds.iter().filter_map(|step| step.audit.as_ref()) {
            audit::audit(&mut transaction, entry).await?;
        }
        transaction.commit().await?;
        self.announcer.tell_written(written.ready || has_resumed, written.due);
        Ok(steps.iter().map(|step| held.contains(&step.execution)).collect())
    }
}

/// The nodes that a step begins, and those of the execution that follows.
fn new_nodes(step: &Step<Admission>) -> impl Iterator<Item = (ExecutionId, u16, &Admission)> {
    let own = step.begun.iter().map(|begun| (step.execution, begun.number, &begun.task));
    own.chain(step.follow_up.iter().flat_map(|next| first_nodes(next)))
}

/// The executions that follow, those of them that are new.
async fn follow_up(
    connection: &mut PgConnection,
    steps: &[&Step<Admission>],
) -> Result<HashSet<ExecutionId>> {
    let new: Vec<_> = steps.iter().filter_map(|step| FollowUp::of(step)).collect();
    if new.is_empty() { Ok(HashSet::new()) } else { insert(connection, &new).await }
}

/// The executions whose steps hold.
async fn hold(
    connection: &mut PgConnection,
    steps: &[Step<Admission>],
) -> Result<HashSet<ExecutionId>> {
    // As they are locked: see the statement.
    let mut steps: Vec<_> = steps.iter().collect();
    steps.sort_unstable_by_key(|step| step.execution);
    let ending = || steps.iter().map(|step| step.ending.as_ref());
    let next = || steps.iter().map(|step| Some(step.follow_up.as_ref()?.id.uuid()));
    let held: Vec<Uuid> = sqlx::query_scalar(HOLD)
        .bind(steps.iter().map(|step| step.execution.uuid()).collect::<Vec<_>>())
        .bind(steps.iter().map(|step| step.version).collect::<Vec<_>>())
        .bind(ending().map(|ending| Some(ending?.status.name())).collect::<Vec<_>>())
        .bind(ending().map(|ending| ending?.node.as_deref()).collect::<Vec<_>>())
        .bind(ending().map(|ending| ending?.message.as_deref()).collect::<Vec<_>>())
        .bind(next().collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    Ok(held.into_iter().map(ExecutionId::from).collect())
}

async fn end_nodes(connection: &mut PgConnection, steps: &[&Step<Admission>]) -> Result<()> {
    let each = || steps.iter().flat_map(|step| step.ended.iter().map(|end| (step.execution, end)));
    if each().next().is_none() {
        return Ok(());
    }
    let written = sqlx::query(END)
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

/// Writes nodes and their tasks. The task of a node is the one that has its key, if there is one
/// already.
pub(super) async fn begin_nodes(
    connection: &mut PgConnection,
    nodes: &[NewNode<'_>],
) -> Result<Written> {
    if nodes.is_empty() {
        return Ok(Written::default());
    }
    let tasks: Vec<_> = nodes.iter().map(|node| node.task).collect();
    let numbers: Vec<_> = nodes.iter().map(|node| node.numbers).collect();
    let (submitted, written) = submit_carefully(connection, &tasks, &numbers).await?;
    sqlx::query(BEGIN)
        .bind(nodes.iter().map(|node| node.execution.uuid()).collect::<Vec<_>>())
        .bind(nodes.iter().map(|node| small(node.number)).collect::<Vec<_>>())
        .bind(submitted.iter().map(|task| Some(task.id.uuid())).collect::<Vec<_>>())
        .bind(vec![None::<&str>; nodes.len()])
        .execute(connection)
        .await?;
    Ok(written)
}

/// Rows of nodes that could not.
async fn fail_nodes(connection: &mut PgConnection, steps: &[&Step<Admission>]) -> Result<()> {
    let each =
        || steps.iter().flat_map(|step| step.unbegun.iter().map(|one| (step.execution, one)));
    if each().next().is_none() {
        return Ok(());
    }
    sqlx::query(BEGIN)
        .bind(each().map(|(id, _)| id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|(_, one)| small(one.number)).collect::<Vec<_>>())
        .bind(each().map(|_| None::<Uuid>).collect::<Vec<_>>())
        .bind(each().map(|(_, one)| one.message.as_str()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// Has tasks of nodes tried again that were given up; whether there were any. One that has
/// completed since it was looked at stays so, and is noticed like any other.
async fn resume_nodes(connection: &mut PgConnection, steps: &[&Step<Admission>]) -> Result<bool> {
    let each =
        || steps.iter().flat_map(|step| step.resumed.iter().map(|one| (step.execution, one)));
    if each().next().is_none() {
        return Ok(false);
    }
    sqlx::query(RESUME)
        .bind(each().map(|(id, _)| id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|(_, one)| small(one.number)).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await?;
    let tasks: Vec<_> = each().map(|(_, one)| one.task).collect();
    for status in [Status::Failed, Status::Cancelled] {
        let given_up = Filter { ids: Some(tasks.clone()), status: Some(status), ..Filter::all() };
        control::requeue_on(connection, &given_up, &Requeue::fresh()).await?;
    }
    Ok(true)
}

/// A number as a column holds it. A workflow has far fewer nodes.
fn small(number: u16) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}
