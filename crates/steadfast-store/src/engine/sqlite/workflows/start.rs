//! Executions that start, each with its first nodes in the same transaction.

use std::collections::HashSet;

use serde::Serialize;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

use super::super::audit;
use super::super::name_cache::Names;
use super::super::pending_wakes::News;
use super::super::row::{Hex, json, micros};
use super::super::submit::when;
use super::hex;
use super::steps::begin_nodes;
use crate::error::{Result, StoreError};
use crate::queue::submit::Admission;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, NewExecution, Started};

const START: &str = include_str!("../sql/execution_start.sql");
const BY_KEY: &str = include_str!("../sql/execution_by_key.sql");

/// An execution as JSON.
#[derive(Serialize)]
struct New<'n> {
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

impl<'n> New<'n> {
    fn of(FollowUp { new, previous }: FollowUp<'n>, now: i64) -> Self {
        Self {
            id: hex(new.id),
            workflow: new.workflow,
            due_at: when(new.due, now),
            counted_from: new.counted_from.map(micros),
            key: new.key.as_deref(),
            previous: previous.map(hex),
            attempts: new.progress.attempts,
            rate_limit_waits: new.progress.rate_limit_waits,
            previous_delay: new.progress.previous.cast_signed(),
            started_with: &new.trigger,
        }
    }
}

pub(super) async fn start(
    connection: &mut SqliteConnection,
    new: &[NewExecution<Admission>],
    now: i64,
    names: &Names,
) -> Result<(Vec<Started>, News)> {
    let all: Vec<_> = new.iter().map(|new| FollowUp { new, previous: None }).collect();
    let fresh = insert(connection, &all, now).await?;
    let mut answers = Vec::with_capacity(new.len());
    for one in new {
        answers.push(match fresh.contains(&one.id) {
            true => Started { id: one.id, existed: false },
            false => existing(connection, one).await?,
        });
    }
    let started = || new.iter().filter(|one| fresh.contains(&one.id));
    for entry in started().filter_map(|one| one.audit.as_ref()) {
        audit::audit(connection, entry, now).await?;
    }
    let nodes = started().flat_map(first_nodes);
    let news = begin_nodes(connection, nodes.collect(), now, names).await?;
    Ok((answers, news))
}

/// The nodes that an execution starts with.
pub(super) fn first_nodes(
    new: &NewExecution<Admission>,
) -> impl Iterator<Item = (ExecutionId, u16, Admission)> {
    new.begun.iter().map(|begun| (new.id, begun.number, begun.task.clone()))
}

/// Inserts those that nothing is in the way of, and answers which these are.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    new: &[FollowUp<'_>],
    now: i64,
) -> Result<HashSet<ExecutionId>> {
    let list: Vec<_> = new.iter().map(|one| New::of(*one, now)).collect();
    let ids = sqlx::query_scalar(START).bind(json(&list)?).bind(now);
    let ids: Vec<String> = ids.fetch_all(connection).await?;
    read_ids(&ids)
}

pub(super) fn read_ids(ids: &[String]) -> Result<HashSet<ExecutionId>> {
    let read = |id: &String| Ok(id.parse::<ExecutionId>()?);
    ids.iter().map(read).collect()
}

/// What is in the way of one.
async fn existing(
    connection: &mut SqliteConnection,
    new: &NewExecution<Admission>,
) -> Result<Started> {
    let found = match &new.key {
        Some(key) => {
            let found = sqlx::query(BY_KEY).bind(key).bind(new.workflow).bind(&new.trigger);
            found.fetch_optional(connection).await?
        }
        None => None,
    };
    let Some(row) = found else {
        // It was sent twice.
        return Ok(Started { id: new.id, existed: true });
    };
    let existing: ExecutionId = row.try_get::<Uuid, _>(0)?.into();
    if row.try_get::<bool, _>(1)? {
        return Ok(Started { id: existing, existed: true });
    }
    let key = new.key.clone().unwrap_or_default();
    Err(StoreError::from(ExecutionError::KeyTaken { key, existing }))
}
