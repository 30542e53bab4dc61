//! The role that stores records of sessions and events.

use async_trait::async_trait;

use super::row::EngineRow;
use crate::error::Result;
use crate::events::record::{Record, RecordKind};
use crate::page::{Page, PageRequest};

/// Stores records of sessions and events.
#[async_trait]
pub trait Records: Send + Sync + 'static {
    /// Stores records.
    async fn record(&self, records: &[Record]) -> Result<()>;

    /// The records of a kind, newest first.
    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>>;

    /// The records of a kind with a greater number than this one, oldest first. A later record
    /// always has a greater number, so a reader that continues from the last one misses none.
    async fn records_after(&self, kind: RecordKind, number: i64, limit: u32)
    -> Result<Vec<Record>>;
}

pub(super) fn decode_records<R: EngineRow>(kind: RecordKind, rows: &[R]) -> Result<Vec<Record>> {
    let record = |row: &R| {
        let (number, at) = (row.get("number")?, Some(row.time("at")?));
        Ok(Record { number, at, kind, body: row.json("body")? })
    };
    rows.iter().map(record).collect()
}
