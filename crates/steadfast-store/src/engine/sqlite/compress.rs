//! Compression of the histories of ended tasks (D14).
//!
//! A reader reads and compresses them. The writer only replaces the rows by a blob, unless the
//! task was requeued in between.

use serde::Serialize;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

use super::history;
use super::row::{Hex, encode};
use crate::error::Result;
use crate::maintenance::history_codec;
use crate::task::TaskId;
use crate::task::decode_error::DecodeErrors;

const COMPRESS_CANDIDATES: &str = include_str!("sql/compress_candidates.sql");
const COMPRESS: &str = include_str!("sql/compress.sql");
const COMPRESS_DELETE: &str = include_str!("sql/compress_delete.sql");
const COMPRESS_MARK: &str = include_str!("sql/compress_mark.sql");

/// A compressed history that replaces its rows.
#[derive(Debug, Serialize)]
pub(super) struct CompressedHistory {
    id: Hex,
    status: String,
    ended_at: i64,
    faults: usize,
    body: String,
}

/// Reads and compresses the histories of tasks that ended before this time.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    ended_before: i64,
    limit: u32,
) -> Result<Vec<CompressedHistory>> {
    let candidates = sqlx::query(COMPRESS_CANDIDATES).bind(ended_before).bind(limit);
    let mut compressed = Vec::new();
    for row in candidates.fetch_all(connection).await? {
        let id = TaskId::from(row.try_get::<Uuid, _>("id")?);
        let mut errors = DecodeErrors::default();
        let faults = history::faults(&row, id, &mut errors)?;
        if errors.into_problem().is_some() {
            // Compression would lose what could not be decoded.
            continue;
        }
        compressed.push(CompressedHistory {
            id: Hex(id),
            status: row.try_get("status")?,
            ended_at: row.try_get("ended_at")?,
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
    let added = sqlx::query(COMPRESS).bind(&compressed).execute(&mut *connection).await?;
    sqlx::query(COMPRESS_DELETE).bind(&compressed).execute(&mut *connection).await?;
    sqlx::query(COMPRESS_MARK).bind(&compressed).execute(connection).await?;
    Ok(added.rows_affected())
}
