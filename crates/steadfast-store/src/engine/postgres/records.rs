//! Records of sessions and events (O1).

use async_trait::async_trait;
use sqlx::Row;
use sqlx::postgres::PgRow;

use super::Postgres;
use super::row::decode;
use super::time::Time;
use crate::engine::Records;
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
        let kinds: Vec<&str> = records.iter().map(|record| record.kind.name()).collect();
        let bodies: Vec<String> = records.iter().map(|record| record.body.to_string()).collect();
        let record = sqlx::query(RECORD).bind(kinds).bind(bodies).bind(RECORDS_LOCK);
        self.deadline.short(async { Ok(record.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        let records = sqlx::query(RECORDS)
            .bind(kind.name())
            .bind(page.number()?)
            .bind(i64::from(page.limit) + 1);
        let rows = async { Ok(records.fetch_all(&self.pool).await?) };
        let rows = self.deadline.short(rows).await?;
        let records = rows.iter().map(|row| record(kind, row)).collect::<Result<Vec<_>>>()?;
        Ok(page.of(records, |record| record.number))
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        let records = sqlx::query(RECORDS_AFTER).bind(kind.name()).bind(number);
        let rows = async { Ok(records.bind(i64::from(limit)).fetch_all(&self.pool).await?) };
        let rows = self.deadline.short(rows).await?;
        rows.iter().map(|row| record(kind, row)).collect()
    }
}

fn record(kind: RecordKind, row: &PgRow) -> Result<Record> {
    Ok(Record {
        number: row.try_get("number")?,
        at: Some(row.try_get::<Time, _>("at")?.0),
        kind,
        body: decode(row.try_get("body")?)?,
    })
}
