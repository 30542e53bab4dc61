//! Compression of the histories of finished tasks (D14).
//!
//! A reader reads and compresses them. The writer only replaces the rows by a blob, unless the
//! task was requeued in between.

use std::time::Duration;

use serde::Serialize;
use sqlx::SqliteConnection;

use super::row::{Hex, before, encode};
use super::{history, now};
use crate::engine::row::EngineRow;
use crate::error::Result;
use crate::maintenance::history_codec;
use crate::task::decode_error::DecodeErrors;

/// A compressed history that replaces its rows.
#[derive(Debug, Serialize)]
pub(super) struct CompressedHistory {
    id: Hex,
    status: String,
    ended_at: i64,
    faults: usize,
    body: String,
}

/// Reads and compresses the histories of tasks that ended this long ago.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    older_than: Duration,
    limit: u32,
) -> Result<Vec<CompressedHistory>> {
    let ended_before = before(now(connection).await?, older_than);
    let candidates =
        sqlx::query(include_str!("sql/compress_candidates.sql")).bind(ended_before).bind(limit);
    let mut compressed = Vec::new();
    for row in candidates.fetch_all(connection).await? {
        let id = row.id("id")?;
        let mut errors = DecodeErrors::default();
        let faults = history::faults(&row, id, &mut errors)?;
        if errors.into_problem().is_some() {
            // Compression would lose what could not be decoded.
            continue;
        }
        compressed.push(CompressedHistory {
            id: Hex(id),
            status: row.get("status")?,
            ended_at: row.get("ended_at")?,
            faults: faults.len(),
            body: hex(&history_codec::compress(&faults).map_err(sqlx::Error::Io)?),
        });
    }
    Ok(compressed)
}

/// Bytes for `unhex`.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Replaces rows by compressed histories, and returns how many.
pub(super) async fn compress(
    connection: &mut SqliteConnection,
    compressed: &[CompressedHistory],
) -> Result<u64> {
    let compressed = encode(&compressed)?;
    let add = sqlx::query(include_str!("sql/compress.sql")).bind(&compressed);
    let added = add.execute(&mut *connection).await?;
    for statement in
        [include_str!("sql/compress_delete.sql"), include_str!("sql/compress_mark.sql")]
    {
        sqlx::query(statement).bind(&compressed).execute(&mut *connection).await?;
    }
    Ok(added.rows_affected())
}
