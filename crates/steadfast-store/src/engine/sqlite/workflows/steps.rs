//! The steps that executions take: which of them hold, and what belongs to those.

use serde::Serialize;
use sqlx::SqliteConnection;

use super::super::name_cache::Names;
use super::super::pending_wakes::News;
use super::super::row::{Hex, json};
use super::super::{audit, requeue, submit};
use super::hex;
use super::start::{first_nodes, insert, read_ids};
use crate::control::Requeue;
use crate::engine::Submitted;
use crate::error::Result;
use crate::queue::submit::Admission;
use crate::task::Status;
use crate::task::filter::Filter;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, Step};

const HOLD: &str = include_str!("../sql/execution_hold.sql");
const END: &str = include_str!("../sql/execution_nodes_end.sql");
const BEGIN: &str = include_str!("../sql/execution_nodes_begin.sql");
const RESUME: &str = include_str!("../sql/execution_nodes_resume.sql");

/// A step as JSON: what it makes of its execution.
#[derive(Serialize)]
struct Held<'s> {
    id: Hex,
    version: i64,
    status: Option<&'static str>,
    next: Option<Hex>,
    failed_node: Option<&'s str>,
    message: Option<&'s str>,
}

/// A node as JSON.
#[derive(Serialize)]
struct Node<'s> {
    execution: Hex,
    number: u16,
    task: Option<Hex>,
    status: Option<&'static str>,
    message: Option<&'s str>,
}

pub(super) async fn take(
    connection: &mut SqliteConnection,
    steps: Vec<Step<Admission>>,
    now: i64,
    names: &Names,
) -> Result<(Vec<bool>, News)> {
    let held: Vec<_> = steps.iter().map(Held::of).collect();
    let held = sqlx::query_scalar(HOLD).bind(json(&held)?).bind(now);
    let held: Vec<String> = held.fetch_all(&mut *connection).await?;
    let held = read_ids(&held)?;
    let holds: Vec<&Step<Admission>> =
        steps.iter().filter(|step| held.contains(&step.execution)).collect();
    let ended = nodes(&holds, ended);
    if write_nodes(connection, END, &ended, now).await? < ended.len() as u64 {
        return Err(ExecutionError::Changed.into());
    }
    write_nodes(connection, BEGIN, &nodes(&holds, unbegun), now).await?;
    write_nodes(connection, RESUME, &nodes(&holds, resumed), now).await?;
    let mut news = requeue_tasks(connection, &holds, now).await?;
    let follow_ups: Vec<_> = holds.iter().filter_map(|step| FollowUp::of(step)).collect();
    let fresh = match follow_ups.is_empty() {
        true => Default::default(),
        false => insert(connection, &follow_ups, now).await?,
    };
    let own = holds.iter().flat_map(|step| {
        step.begun.iter().map(|begun| (step.execution, begun.number, begun.task.clone()))
    });
    let next = follow_ups.into_iter().map(|next| next.new);
    let next = next.filter(|next| fresh.contains(&next.id)).flat_map(first_nodes);
    let begun = begin_nodes(connection, own.chain(next).collect(), now, names).await?;
    news.add(begun);
    for entry in holds.iter().filter_map(|step| step.audit.as_ref()) {
        audit::audit(connection, entry, now).await?;
    }
    let answers = steps.iter().map(|step| held.contains(&step.execution)).collect();
    Ok((answers, news))
}

impl<'s> Held<'s> {
    fn of(step: &'s Step<Admission>) -> Self {
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
    steps: &[&'s Step<Admission>],
    of: impl Fn(&'s Step<Admission>) -> Vec<Node<'s>>,
) -> Vec<Node<'s>> {
    steps.iter().flat_map(|step| of(step)).collect()
}

fn ended(step: &Step<Admission>) -> Vec<Node<'_>> {
    let ended = step.ended.iter().map(|one| Node {
        status: Some(one.status.name()),
        message: one.message.as_deref(),
        ..plain(step.execution, one.number)
    });
    ended.collect()
}

fn unbegun(step: &Step<Admission>) -> Vec<Node<'_>> {
    let unbegun = step.unbegun.iter().map(|one| Node {
        message: Some(one.message.as_str()),
        ..plain(step.execution, one.number)
    });
    unbegun.collect()
}

fn resumed(step: &Step<Admission>) -> Vec<Node<'_>> {
    step.resumed.iter().map(|one| plain(step.execution, one.number)).collect()
}

/// A node of which there is no more to say.
fn plain<'s>(execution: ExecutionId, number: u16) -> Node<'s> {
    Node { execution: hex(execution), number, task: None, status: None, message: None }
}

/// Answers how many were written.
async fn write_nodes(
    connection: &mut SqliteConnection,
    statement: &'static str,
    nodes: &[Node<'_>],
    now: i64,
) -> Result<u64> {
    if nodes.is_empty() {
        return Ok(0);
    }
    let written = sqlx::query(statement).bind(json(&nodes)?).bind(now).execute(connection).await?;
    Ok(written.rows_affected())
}

/// Has the tasks of resumed nodes tried again that were given up. One that has completed since it
/// was looked at stays so, and is noticed like any other.
async fn requeue_tasks(
    connection: &mut SqliteConnection,
    steps: &[&Step<Admission>],
    now: i64,
) -> Result<News> {
    let resumed = steps.iter().flat_map(|step| &step.resumed);
    let tasks: Vec<_> = resumed.map(|one| one.task).collect();
    if tasks.is_empty() {
        return Ok(News::default());
    }
    let mut news = News::default();
    for status in [Status::Failed, Status::Cancelled] {
        let given_up = Filter { ids: Some(tasks.clone()), status: Some(status), ..Filter::all() };
        let put_back = requeue::put_back(connection, &given_up, &Requeue::fresh(), now).await?;
        news.add(put_back.1);
    }
    Ok(news)
}

/// Writes nodes and their tasks. The task of a node is the one that has its key, if there is one
/// already.
pub(super) async fn begin_nodes(
    connection: &mut SqliteConnection,
    nodes: Vec<(ExecutionId, u16, Admission)>,
    now: i64,
    names: &Names,
) -> Result<News> {
    let (of, tasks): (Vec<_>, Vec<_>) =
        nodes.into_iter().map(|(execution, number, task)| ((execution, number), task)).unzip();
    let (submitted, news) = submit::write(connection, &tasks, now, names).await?;
    let row = |((execution, number), submitted): ((ExecutionId, u16), Submitted)| Node {
        task: Some(Hex(submitted.id)),
        ..plain(execution, number)
    };
    let rows: Vec<_> = of.into_iter().zip(submitted).map(row).collect();
    write_nodes(connection, BEGIN, &rows, now).await?;
    Ok(news)
}
