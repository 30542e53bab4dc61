//! Executions that start, each with its first nodes in the same transaction.

use std::collections::{HashMap, HashSet};

use sqlx::{PgConnection, Row};
use uuid::Uuid;

use super::super::row::column;
use super::super::submit::split;
use super::super::time::Time;
use super::super::{Postgres, audit};
use super::steps::begin_nodes;
use crate::error::Result;
use crate::queue::submit::Admission;
use crate::workflow::{ExecutionError, ExecutionId, FollowUp, NewExecution, Started};

const START: &str = include_str!("../sql/execution_start.sql");
const BY_KEY: &str = include_str!("../sql/execution_by_key.sql");

impl Postgres {
    pub(super) async fn start_executions(
        &self,
        new: Vec<NewExecution<Admission>>,
    ) -> Result<Vec<Started>> {
        let all: Vec<_> = new.iter().map(|new| FollowUp { new, previous: None }).collect();
        let mut nodes = self.numbered(new.iter().flat_map(first_nodes)).await?;
        let mut transaction = self.pool.begin().await?;
        let fresh = insert(&mut transaction, &all).await?;
        let old: Vec<_> = new.iter().filter(|one| !fresh.contains(&one.id)).collect();
        let existing = by_key(&mut transaction, &old).await?;
        nodes.retain(|node| fresh.contains(&node.execution));
        let written = begin_nodes(&mut transaction, &nodes).await?;
        let started = new.iter().filter(|one| fresh.contains(&one.id));
        let entries: Vec<_> = started.filter_map(|one| one.audit.clone()).collect();
        if !entries.is_empty() {
            audit::audit_all(&mut transaction, &entries).await?;
        }
        transaction.commit().await?;
        self.announcer.tell_written(written.ready, written.due);
        // What is neither new nor has its key taken was sent twice.
        let answer = |one: &NewExecution<Admission>| Started {
            id: existing.get(&one.id).copied().unwrap_or(one.id),
            existed: !fresh.contains(&one.id),
        };
        Ok(new.iter().map(answer).collect())
    }
}

/// The nodes that an execution starts with.
pub(super) fn first_nodes(
    new: &NewExecution<Admission>,
) -> impl Iterator<Item = (ExecutionId, u16, &Admission)> {
    new.begun.iter().map(|begun| (new.id, begun.number, &begun.task))
}

/// Inserts those that nothing is in the way of, and answers which these are.
pub(super) async fn insert(
    connection: &mut PgConnection,
    new: &[FollowUp<'_>],
) -> Result<HashSet<ExecutionId>> {
    let each = || new.iter().map(|one| one.new);
    let due = || each().map(|one| split(Some(one.due)));
    let ids: Vec<Uuid> = sqlx::query_scalar(START)
        .bind(each().map(|one| one.id.uuid()).collect::<Vec<_>>())
        .bind(each().map(|one| one.workflow).collect::<Vec<_>>())
        .bind(due().map(|(at, _)| at).collect::<Vec<_>>())
        .bind(due().map(|(_, after)| after).collect::<Vec<_>>())
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

/// Whose the keys are of those that were not inserted.
async fn by_key(
    connection: &mut PgConnection,
    old: &[&NewExecution<Admission>],
) -> Result<HashMap<ExecutionId, ExecutionId>> {
    if old.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(BY_KEY)
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
