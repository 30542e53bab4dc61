//! Compression of the histories of finished tasks (D14).
//!
//! The histories are read, compressed and written by the client, because compression is too much
//! work for the server.

use std::time::Duration;

use sqlx::Row;
use uuid::Uuid;

use super::row::int;
use super::{Postgres, read};
use crate::engine::time::micros;
use crate::error::Result;
use crate::maintenance::history_codec;

pub(super) async fn compress(engine: &Postgres, older_than: Duration, limit: u32) -> Result<u64> {
    let candidates = "SELECT DISTINCT f.task FROM steadfast.faults f \
         JOIN steadfast.ended e ON e.id = f.task \
         WHERE e.ended_at < now() - $1::bigint * interval '1 microsecond' LIMIT $2";
    let candidates = sqlx::query(candidates).bind(micros(older_than)).bind(int(limit));
    let mut count = 0;
    for row in candidates.fetch_all(&engine.pool).await? {
        let task: Uuid = row.try_get(0)?;
        let mut transaction = engine.pool.begin().await?;
        // Nothing else compresses, prunes or requeues the task until the commit.
        let lock = "SELECT id FROM steadfast.ended WHERE id = $1 FOR UPDATE SKIP LOCKED";
        let locked = sqlx::query(lock).bind(task).fetch_optional(&mut *transaction).await?;
        if locked.is_none() {
            continue;
        }
        let Some(history) = read::find(engine, &mut transaction, task.into()).await? else {
            continue;
        };
        if history.problem.is_some() {
            // Compression would lose what could not be decoded.
            continue;
        }
        let compressed = history_codec::compress(&history.faults).map_err(sqlx::Error::Io)?;
        let written = sqlx::query(include_str!("sql/compress.sql"))
            .bind(task)
            .bind(compressed)
            .execute(&mut *transaction);
        count += written.await?.rows_affected();
        transaction.commit().await?;
    }
    Ok(count)
}
