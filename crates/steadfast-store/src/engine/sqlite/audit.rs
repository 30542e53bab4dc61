//! What is only ever added to: who did what (K3), and records of sessions and events (O1).

use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};

use super::row::{json, read, timestamp};
use crate::audit::{AuditEntry, AuditQuery};
use crate::control::Actor;
use crate::error::Result;
use crate::events::record::{Record, RecordKind};
use crate::page::{Page, PageRequest};
use crate::task::filter::LOOKS_AT;

const ADD_AUDIT: &str = include_str!("sql/audit_add.sql");
const AUDITED: &str = include_str!("sql/audit_list.sql");
const ADD_RECORDS: &str = include_str!("sql/records_add.sql");
const RECORDS: &str = include_str!("sql/records_list.sql");
const RECORDS_AFTER: &str = include_str!("sql/records_after.sql");

/// Writes down what somebody did.
pub(super) async fn audit(
    connection: &mut SqliteConnection,
    entry: &AuditEntry,
    now: i64,
) -> Result<()> {
    sqlx::query(ADD_AUDIT)
        .bind(now)
        .bind(&entry.by.actor)
        .bind(&entry.by.from)
        .bind(&entry.action)
        .bind(&entry.target)
        .bind(json(&entry.detail)?)
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes down what some people did.
pub(super) async fn audit_all(
    connection: &mut SqliteConnection,
    entries: &[AuditEntry],
    now: i64,
) -> Result<()> {
    for entry in entries {
        audit(connection, entry, now).await?;
    }
    Ok(())
}

/// What was done, newest first.
pub(super) async fn audited(
    connection: &mut SqliteConnection,
    query: &AuditQuery,
) -> Result<Page<AuditEntry>> {
    let end = match query.sifts() {
        true => look_ends(connection, query).await?,
        false => None,
    };
    let mut statement = led(query)?;
    if let Some(end) = &end {
        statement.push(" AND number >= ").push_bind(end.number);
    }
    if let (Some(_), Some(actor)) = (&query.target, &query.actor) {
        // The plus keeps to the index of the target, by which the look is bounded.
        statement.push(" AND +actor = ").push_bind(actor);
    }
    if let Some(action) = &query.action {
        statement.push(" AND action = ").push_bind(action);
    }
    if let Some(since) = query.since {
        statement.push(" AND at >= ").push_bind(since.as_microsecond());
    }
    let limit = i64::from(query.page.limit) + 1;
    statement.push(" ORDER BY number DESC LIMIT ").push_bind(limit);
    let rows = statement.build().fetch_all(connection).await?;
    let entries = rows.iter().map(entry).collect::<Result<Vec<_>>>()?;
    Ok(query.cut(entries, end))
}

/// The entries behind the page before that an index leads to.
fn led(query: &AuditQuery) -> Result<QueryBuilder<Sqlite>> {
    let mut statement = QueryBuilder::new(AUDITED);
    statement.push_bind(query.page.number()?.unwrap_or(i64::MAX));
    match (&query.target, &query.actor) {
        (Some(target), _) => statement.push(" AND target = ").push_bind(target),
        (None, Some(actor)) => statement.push(" AND actor = ").push_bind(actor),
        (None, None) => &mut statement,
    };
    Ok(statement)
}

/// The last entry that is looked at for those that fit; nothing if all of them are.
async fn look_ends(
    connection: &mut SqliteConnection,
    query: &AuditQuery,
) -> Result<Option<AuditEntry>> {
    let mut statement = led(query)?;
    statement.push(" ORDER BY number DESC LIMIT 1 OFFSET ").push_bind(i64::from(LOOKS_AT) - 1);
    statement.build().fetch_optional(connection).await?.as_ref().map(entry).transpose()
}

fn entry(row: &SqliteRow) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.try_get("number")?,
        at: Some(timestamp(row.try_get("at")?)),
        by: Actor { actor: row.try_get("actor")?, from: row.try_get("origin")? },
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        detail: read(row.try_get("detail")?)?,
    })
}

/// Keeps records.
pub(super) async fn record(
    connection: &mut SqliteConnection,
    records: &[Record],
    now: i64,
) -> Result<()> {
    let rows = records.iter().map(|record| Ok((record.kind.name(), json(&record.body)?)));
    let rows = json(&rows.collect::<Result<Vec<_>>>()?)?;
    sqlx::query(ADD_RECORDS).bind(rows).bind(now).execute(connection).await?;
    Ok(())
}

/// The records of a kind, newest first.
pub(super) async fn records(
    connection: &mut SqliteConnection,
    kind: RecordKind,
    page: &PageRequest,
) -> Result<Page<Record>> {
    let rows = sqlx::query(RECORDS)
        .bind(kind.name())
        .bind(page.number()?.unwrap_or(i64::MAX))
        .bind(i64::from(page.limit) + 1)
        .fetch_all(connection)
        .await?;
    let records = rows.iter().map(|row| read_record(kind, row)).collect::<Result<Vec<_>>>()?;
    Ok(page.cut(records, |record| record.number))
}

/// The records of a kind after the one of this number, oldest first.
pub(super) async fn records_after(
    connection: &mut SqliteConnection,
    kind: RecordKind,
    number: i64,
    limit: u32,
) -> Result<Vec<Record>> {
    let rows = sqlx::query(RECORDS_AFTER).bind(kind.name()).bind(number).bind(limit);
    let rows = rows.fetch_all(connection).await?;
    rows.iter().map(|row| read_record(kind, row)).collect()
}

fn read_record(kind: RecordKind, row: &SqliteRow) -> Result<Record> {
    let body: Value = read(row.try_get("body")?)?;
    let at = Some(timestamp(row.try_get("at")?));
    Ok(Record { number: row.try_get("number")?, at, kind, body })
}
