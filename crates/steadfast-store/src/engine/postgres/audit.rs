//! What is only ever added to: who did what (K3), and records of sessions and events (O1).

use sqlx::postgres::PgRow;
use sqlx::{PgConnection, QueryBuilder, Row};

use super::Postgres;
use super::read::json;
use super::time::Time;
use crate::audit::{AuditEntry, AuditQuery};
use crate::control::Actor;
use crate::error::Result;
use crate::events::record::{Record, RecordKind};
use crate::page::{Page, PageRequest};
use crate::task::filter::LOOKS_AT;

const AUDIT: &str = include_str!("sql/audit.sql");
const AUDIT_ALL: &str = include_str!("sql/audit_all.sql");
const AUDITED: &str = include_str!("sql/audited.sql");
const RECORD: &str = include_str!("sql/record.sql");
const RECORDS: &str = include_str!("sql/records.sql");
const RECORDS_AFTER: &str = include_str!("sql/records_after.sql");

/// The lock that lets one instance at a time write records: "records" as a number.
const LOCK: i64 = 0x72_6563_6f72_6473;

pub(super) async fn audit(connection: &mut PgConnection, entry: &AuditEntry) -> Result<()> {
    sqlx::query(AUDIT)
        .bind(&entry.by.actor)
        .bind(&entry.by.from)
        .bind(&entry.action)
        .bind(&entry.target)
        .bind(entry.detail.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

fn entry(row: &PgRow) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.try_get("number")?,
        at: Some(row.try_get::<Time, _>("at")?.0),
        by: Actor { actor: row.try_get("actor")?, from: row.try_get("source")? },
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        detail: json(row.try_get("detail")?)?,
    })
}

fn record(kind: RecordKind, row: &PgRow) -> Result<Record> {
    Ok(Record {
        number: row.try_get("number")?,
        at: Some(row.try_get::<Time, _>("at")?.0),
        kind,
        body: json(row.try_get("body")?)?,
    })
}

pub(super) async fn audit_all(connection: &mut PgConnection, entries: &[AuditEntry]) -> Result<()> {
    let each = || entries.iter();
    sqlx::query(AUDIT_ALL)
        .bind(each().map(|entry| entry.by.actor.as_str()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.by.from.as_deref()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.action.as_str()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.target.as_deref()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.detail.to_string()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// The entries behind the page before that an index leads to.
fn led(query: &AuditQuery) -> Result<QueryBuilder<sqlx::Postgres>> {
    let mut statement = QueryBuilder::new(AUDITED);
    statement.push_bind(query.page.number()?.unwrap_or(i64::MAX));
    match (&query.target, &query.actor) {
        (Some(target), _) => statement.push(" AND target = ").push_bind(target),
        (None, Some(actor)) => statement.push(" AND actor = ").push_bind(actor),
        (None, None) => &mut statement,
    };
    Ok(statement)
}

impl Postgres {
    pub(super) async fn write_audit(&self, entries: &[AuditEntry]) -> Result<()> {
        audit_all(&mut *self.pool.acquire().await?, entries).await
    }

    pub(super) async fn read_audit(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let end = match query.sifts() {
            true => self.look_ends(query).await?,
            false => None,
        };
        let mut statement = led(query)?;
        if let Some(end) = &end {
            statement.push(" AND number >= ").push_bind(end.number);
        }
        if let (Some(_), Some(actor)) = (&query.target, &query.actor) {
            statement.push(" AND actor = ").push_bind(actor);
        }
        if let Some(action) = &query.action {
            statement.push(" AND action = ").push_bind(action);
        }
        if let Some(since) = query.since {
            statement.push(" AND at >= ").push_bind(Time(since));
        }
        let limit = i64::from(query.page.limit) + 1;
        statement.push(" ORDER BY number DESC LIMIT ").push_bind(limit);
        let rows = statement.build().fetch_all(&self.pool).await?;
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>>>()?;
        Ok(query.cut(entries, end))
    }

    /// The last entry that is looked at for those that fit; nothing if all of them are.
    async fn look_ends(&self, query: &AuditQuery) -> Result<Option<AuditEntry>> {
        let mut statement = led(query)?;
        statement.push(" ORDER BY number DESC LIMIT 1 OFFSET ").push_bind(i64::from(LOOKS_AT) - 1);
        statement.build().fetch_optional(&self.pool).await?.as_ref().map(entry).transpose()
    }

    pub(super) async fn keep_records(&self, records: &[Record]) -> Result<()> {
        let kinds: Vec<&str> = records.iter().map(|record| record.kind.name()).collect();
        let bodies: Vec<String> = records.iter().map(|record| record.body.to_string()).collect();
        sqlx::query(RECORD).bind(kinds).bind(bodies).bind(LOCK).execute(&self.pool).await?;
        Ok(())
    }

    pub(super) async fn read_records(
        &self,
        kind: RecordKind,
        page: &PageRequest,
    ) -> Result<Page<Record>> {
        let rows = sqlx::query(RECORDS)
            .bind(kind.name())
            .bind(page.number()?)
            .bind(i64::from(page.limit) + 1)
            .fetch_all(&self.pool)
            .await?;
        let records = rows.iter().map(|row| record(kind, row)).collect::<Result<Vec<_>>>()?;
        Ok(page.cut(records, |record| record.number))
    }

    pub(super) async fn read_records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        let rows = sqlx::query(RECORDS_AFTER).bind(kind.name()).bind(number);
        let rows = rows.bind(i64::from(limit)).fetch_all(&self.pool).await?;
        rows.iter().map(|row| record(kind, row)).collect()
    }
}
