//! Records of sessions and events (O1).

use async_trait::async_trait;

use super::Postgres;
use super::row::column;
use crate::engine::Records;
use crate::engine::records::decode_records;
use crate::error::Result;
use crate::events::record::{Record, RecordKind};
use crate::page::{Page, PageRequest};

/// One writer at a time: a reader that continues from a number must have seen every smaller one.
const RECORD: &str = "WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($3)) \
     INSERT INTO steadfast.records (kind, body) \
     SELECT g.kind, g.body::json FROM locked CROSS JOIN unnest($1::text[], $2::text[]) AS g (kind, body)";
const RECORDS: &str = "SELECT number, at, body::text AS body FROM steadfast.records \
     WHERE kind = $1 AND number < coalesce($2::bigint, 9223372036854775807) \
     ORDER BY number DESC LIMIT $3";
const RECORDS_AFTER: &str = "SELECT number, at, body::text AS body FROM steadfast.records \
     WHERE kind = $1 AND number > $2 ORDER BY number LIMIT $3";

/// The advisory lock of the one writer: "records" as a number.
const RECORDS_LOCK: i64 = 0x72_6563_6f72_6473;

#[async_trait]
impl Records for Postgres {
    async fn record(&self, records: &[Record]) -> Result<()> {
        let record = sqlx::query(RECORD)
            .bind(column(records, |record| record.kind.name()))
            .bind(column(records, |record| record.body.to_string()))
            .bind(RECORDS_LOCK);
        self.execute(record).await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        let records = sqlx::query(RECORDS).bind(kind.name()).bind(page.parsed::<i64>()?);
        let rows = self.rows(records.bind(i64::from(page.limit) + 1)).await?;
        Ok(page.of(decode_records(kind, &rows)?, |record| record.number))
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        let records = sqlx::query(RECORDS_AFTER).bind(kind.name()).bind(number);
        decode_records(kind, &self.rows(records.bind(i64::from(limit))).await?)
    }
}
