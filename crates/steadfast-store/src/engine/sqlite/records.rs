//! Records of sessions and events (O1).

use async_trait::async_trait;
use serde_json::Value;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::Sqlite;
use super::row::{decode, encode, timestamp};
use crate::engine::Records;
use crate::error::Result;
use crate::events::record::{Record, RecordKind};
use crate::page::{Page, PageRequest};

const RECORD: &str = "INSERT INTO steadfast_records (kind, at, body) \
     SELECT value ->> 0, ?2, value ->> 1 FROM json_each(?1)";
const RECORDS: &str = "SELECT number, at, body FROM steadfast_records \
     WHERE kind = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3";
const RECORDS_AFTER: &str = "SELECT number, at, body FROM steadfast_records \
     WHERE kind = ?1 AND number > ?2 ORDER BY number LIMIT ?3";

#[async_trait]
impl Records for Sqlite {
    async fn record(&self, records: &[Record]) -> Result<()> {
        let rows = records.iter().map(|record| Ok((record.kind.name(), encode(&record.body)?)));
        let rows = encode(&rows.collect::<Result<Vec<_>>>()?)?;
        let written = self.writer.run(move |connection, now| {
            let record = sqlx::query(RECORD).bind(rows).bind(now);
            Box::pin(async move { Ok(record.execute(connection).await.map(drop)?) })
        });
        written.await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        let (before, limit) = (page.number()?.unwrap_or(i64::MAX), i64::from(page.limit) + 1);
        let rows = self.read(move |connection| {
            let records = sqlx::query(RECORDS).bind(kind.name()).bind(before).bind(limit);
            Box::pin(async move { Ok(records.fetch_all(connection).await?) })
        });
        let rows = rows.await?;
        let records = rows.iter().map(|row| record(kind, row)).collect::<Result<Vec<_>>>()?;
        Ok(page.of(records, |record| record.number))
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        let rows = self.read(move |connection| {
            let records = sqlx::query(RECORDS_AFTER).bind(kind.name()).bind(number).bind(limit);
            Box::pin(async move { Ok(records.fetch_all(connection).await?) })
        });
        rows.await?.iter().map(|row| record(kind, row)).collect()
    }
}

fn record(kind: RecordKind, row: &SqliteRow) -> Result<Record> {
    let body: Value = decode(row.try_get("body")?)?;
    let at = Some(timestamp(row.try_get("at")?));
    Ok(Record { number: row.try_get("number")?, at, kind, body })
}
