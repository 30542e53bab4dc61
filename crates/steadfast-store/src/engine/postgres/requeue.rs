//! Requeueing of ended tasks (D10, D16).

use sqlx::{PgConnection, Row};
use steadfast::Class;
use uuid::Uuid;

use super::time::Time;
use crate::control::{Requeue, Requeued};
use crate::error::Result;
use crate::task::Status;
use crate::task::filter::Filter;

const REQUEUE: &str = include_str!("sql/requeue.sql");

/// Requeues ended tasks, within a transaction that also writes the audit entry.
pub(super) async fn requeue(
    connection: &mut PgConnection,
    filter: &Filter,
    requeue: &Requeue,
) -> Result<Requeued> {
    let ids: Option<Vec<Uuid>> =
        filter.ids.as_ref().map(|ids| ids.iter().map(|id| id.uuid()).collect());
    let row = sqlx::query(REQUEUE)
        .bind(filter.status.map(Status::name))
        .bind(ids)
        .bind(&filter.queue)
        .bind(&filter.category)
        .bind(&filter.kind)
        .bind(filter.class.map(Class::name))
        .bind(&filter.correlation_id)
        .bind(filter.due_before.map(Time))
        .bind(filter.submitted_after.map(Time))
        .bind(filter.ended_after.map(Time))
        .bind(requeue.limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)))
        .bind(requeue.per_second.map(|rate| 1e6 / rate))
        .bind(requeue.fresh)
        .bind(requeue.dry_run)
        .bind(requeue.keep_time)
        .fetch_one(connection)
        .await?;
    let count: i64 = row.try_get(if requeue.dry_run { 0 } else { 1 })?;
    Ok(Requeued::of(u64::try_from(count).unwrap_or_default(), requeue))
}
