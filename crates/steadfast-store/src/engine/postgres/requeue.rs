//! Requeueing of finished tasks (D10, D16).

use sqlx::{PgConnection, Row};

use super::filter;
use crate::control::{Requeue, Requeued};
use crate::engine::row::{signed, unsigned};
use crate::error::Result;
use crate::task::filter::Filter;

/// Requeues finished tasks, within a transaction that also writes the audit entry.
pub(super) async fn requeue(
    connection: &mut PgConnection,
    filter: &Filter,
    requeue: &Requeue,
) -> Result<Requeued> {
    let row = filter::bind(sqlx::query(include_str!("sql/requeue.sql")), filter)
        .bind(requeue.limit.map(signed))
        .bind(requeue.per_second.map(|rate| 1e6 / rate))
        .bind(requeue.fresh)
        .bind(requeue.dry_run)
        .bind(requeue.keep_time)
        .fetch_one(connection)
        .await?;
    let count = row.try_get(if requeue.dry_run { 0 } else { 1 })?;
    Ok(Requeued::of(unsigned(count), requeue))
}
