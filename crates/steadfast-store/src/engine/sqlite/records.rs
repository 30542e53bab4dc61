//! Records of sessions and events (O1).

use async_trait::async_trait;

use super::Sqlite;
use super::row::encode;
use super::writer::job;
use crate::engine::Records;
use crate::engine::records::decode_records;
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
        let record = job!(|connection, now| {
            sqlx::query(RECORD).bind(rows).bind(now).execute(connection).await?;
            Ok(())
        });
        self.writer.run(record).await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        let before = page.parsed::<i64>()?.unwrap_or(i64::MAX);
        let records = sqlx::query(RECORDS).bind(kind.name()).bind(before);
        let rows = self.rows(records.bind(i64::from(page.limit) + 1)).await?;
        Ok(page.of(decode_records(kind, &rows)?, |record| record.number))
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        let records = sqlx::query(RECORDS_AFTER).bind(kind.name()).bind(number).bind(limit);
        decode_records(kind, &self.rows(records).await?)
    }
}
