//! Packing the histories of tasks that ended long ago (D14).
//!
//! Reading and compressing is done beside the writer, which only swaps rows for a blob where
//! the task has not been tried again meanwhile.

use serde::Serialize;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

use super::history;
use super::row::{Hex, json};
use crate::error::Result;
use crate::maintenance::history_codec;
use crate::task::TaskId;
use crate::task::decode_error::Damage;

const LOOSE: &str = include_str!("sql/compress_loose.sql");
const ADD: &str = include_str!("sql/compress_add.sql");
const DROP: &str = include_str!("sql/compress_drop.sql");
const TIDY: &str = include_str!("sql/compress_tidy.sql");

/// A history that can take the place of its rows.
#[derive(Debug, Serialize)]
pub(super) struct Packed {
    id: Hex,
    status: String,
    ended_at: i64,
    faults: usize,
    body: String,
}

/// Packs histories of tasks that ended before this time.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    ended_before: i64,
    limit: u32,
) -> Result<Vec<Packed>> {
    let loose = sqlx::query(LOOSE).bind(ended_before).bind(limit);
    let mut packed = Vec::new();
    for row in loose.fetch_all(connection).await? {
        let id = TaskId::from(row.try_get::<Uuid, _>("id")?);
        let mut damage = Damage::default();
        let faults = history::faults(&row, id, &mut damage)?;
        if damage.told().is_some() {
            // Packing would lose what somebody may still mend.
            continue;
        }
        packed.push(Packed {
            id: Hex(id),
            status: row.try_get("status")?,
            ended_at: row.try_get("ended_at")?,
            faults: faults.len(),
            body: hex(&history_codec::pack(&faults).map_err(sqlx::Error::Io)?),
        });
    }
    Ok(packed)
}

/// Bytes as `unhex` reads them.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Puts packed histories in the place of rows. Answers how many.
pub(super) async fn swap(connection: &mut SqliteConnection, packed: &[Packed]) -> Result<u64> {
    let packed = json(&packed)?;
    let added = sqlx::query(ADD).bind(&packed).execute(&mut *connection).await?;
    sqlx::query(DROP).bind(&packed).execute(&mut *connection).await?;
    sqlx::query(TIDY).bind(&packed).execute(connection).await?;
    Ok(added.rows_affected())
}
