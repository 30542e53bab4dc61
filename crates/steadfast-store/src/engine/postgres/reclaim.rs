//! Reclaiming tasks with expired leases (D7).

use sqlx::Row;
use uuid::Uuid;

use super::Postgres;
use super::row::int;
use crate::error::Result;
use crate::queue::claim::Claimed;

/// Reclaims from one expired lease after another, until one has an open task that can be decoded.
pub(super) async fn reclaim_expired(
    engine: &Postgres,
    worker: &str,
    limit: u32,
) -> Result<Vec<(Claimed, String)>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    loop {
        let rows = sqlx::query(include_str!("sql/reclaim.sql"))
            .bind(worker)
            .bind(int(limit))
            .fetch_all(&engine.pool)
            .await?;
        let has_no_open_task = match rows.first() {
            Some(row) => row.try_get::<Option<Uuid>, _>(0)?.is_none(),
            None => return Ok(Vec::new()),
        };
        if has_no_open_task {
            continue;
        }
        let reclaimed = engine.decode_claimed(&rows, |task, row| Ok((task, row.try_get(19)?)));
        let reclaimed = reclaimed.await?;
        if !reclaimed.is_empty() {
            return Ok(reclaimed);
        }
    }
}
