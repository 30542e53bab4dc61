//! The start of executions, each with its first nodes in the same transaction.

use std::collections::{HashMap, HashSet};

use sqlx::{PgConnection, Row};
use uuid::Uuid;

use super::super::row::column;
use super::super::submit::split;
use super::super::time::Time;
use super::super::{Postgres, audit};
use super::step::start_nodes;
use crate::error::Result;
use crate::queue::submit::CheckedTask;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, NewExecution, Started};

const START: &str = include_str!("../sql/execution_start.sql");
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
    let mut nodes = engine.numbered(new.iter().flat_map(first_nodes)).await?;
    let mut transaction = engine.pool.begin().await?;
    let inserted = insert(&mut transaction, &all).await?;
    let old: Vec<_> = new.iter().filter(|one| !inserted.contains(&one.id)).collect();
    let existing = existing_by_key(&mut transaction, &old).await?;
    nodes.retain(|node| inserted.contains(&node.execution));
    let wakes = start_nodes(&mut transaction, &nodes).await?;
    let started = new.iter().filter(|one| inserted.contains(&one.id));
    let entries: Vec<_> = started.filter_map(|one| one.audit.clone()).collect();
    if !entries.is_empty() {
        audit::audit(&mut transaction, &entries).await?;
    }
    transaction.commit().await?;
    engine.notifier.notify_all(wakes);
    // An execution that is neither new nor has a taken key was sent twice.
    let answer = |one: &NewExecution<CheckedTask>| Started {
        id: existing.get(&one.id).copied().unwrap_or(one.id),
        existed: !inserted.contains(&one.id),
    };
    Ok(new.iter().map(answer).collect())
}

/// The first nodes of an execution.
pub(super) fn first_nodes(
    new: &NewExecution<CheckedTask>,
) -> impl Iterator<Item = (ExecutionId, u16, &CheckedTask)> {
    new.started.iter().map(|node| (new.id, node.number, &node.task))
}

/// Inserts the executions without a conflict, and returns their ids.
pub(super) async fn insert(
    connection: &mut PgConnection,
    new: &[FollowUp<'_>],
) -> Result<HashSet<ExecutionId>> {
    let each = || new.iter().map(|one| one.new);
    let run_at = || each().map(|one| split(Some(one.run_at)));
    let ids: Vec<Uuid> = sqlx::query_scalar(START)
        .bind(each().map(|one| one.id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|one| one.workflow).collect::<Vec<_>>())
        .bind(run_at().map(|(at, _)| at).collect::<Vec<_>>())
        .bind(run_at().map(|(_, after)| after).collect::<Vec<_>>())
        .bind(each().map(|one| one.counted_from.map(Time)).collect::<Vec<_>>())
        .bind(each().map(|one| one.key.as_deref()).collect::<Vec<_>>())
        .bind(new.iter().map(|one| one.previous.map(ExecutionId::uuid)).collect::<Vec<_>>())
        .bind(each().map(|one| column(one.progress.attempts)).collect::<Vec<_>>())
        .bind(each().map(|one| column(one.progress.rate_limit_waits)).collect::<Vec<_>>())
        .bind(each().map(|one| one.progress.previous.cast_signed()).collect::<Vec<_>>())
        .bind(each().map(|one| one.trigger.as_str()).collect::<Vec<_>>())
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
        .bind(old.iter().map(|one| one.id.uuid()).collect::<Vec<_>>())
        .bind(old.iter().map(|one| one.key.as_deref()).collect::<Vec<_>>())
        .bind(old.iter().map(|one| one.workflow).collect::<Vec<_>>())
        .bind(old.iter().map(|one| one.trigger.as_str()).collect::<Vec<_>>())
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
