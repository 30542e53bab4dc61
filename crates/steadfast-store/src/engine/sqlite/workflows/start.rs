//! The start of executions, each with its first nodes in the same transaction.

use std::collections::HashSet;

use serde::Serialize;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

use super::super::audit;
use super::super::name_cache::NameCache;
use super::super::row::{Hex, encode, micros};
use super::super::submit::when;
use super::hex;
use super::step::start_nodes;
use crate::engine::PendingWakes;
use crate::error::{Result, StoreError};
use crate::queue::submit::CheckedTask;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, NewExecution, Started};

const START: &str = include_str!("../sql/execution_start.sql");
/// The owner of a key, and whether it is the same work.
const EXISTING_BY_KEY: &str = "SELECT id, workflow = ?2 AND started_with = ?3 \
     FROM steadfast_executions WHERE key = ?1";

/// A new execution as JSON.
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
    let nodes = started().flat_map(first_nodes);
    let wakes = start_nodes(connection, nodes.collect(), now, names).await?;
    Ok((answers, wakes))
}

/// The first nodes of an execution.
pub(super) fn first_nodes(
    new: &NewExecution<CheckedTask>,
) -> impl Iterator<Item = (ExecutionId, u16, CheckedTask)> {
    new.started.iter().map(|node| (new.id, node.number, node.task.clone()))
}

/// Inserts the executions without a conflict, and returns their ids.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    new: &[FollowUp<'_>],
    now: i64,
) -> Result<HashSet<ExecutionId>> {
    let list: Vec<_> = new.iter().map(|one| NewRow::of(*one, now)).collect();
    let ids = sqlx::query_scalar(START).bind(encode(&list)?).bind(now);
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
