//! The audit log (K3).

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite as SqliteDatabase, SqliteConnection};

use super::Sqlite;
use super::row::{decode, encode, timestamp};
use crate::audit::{AuditEntry, AuditQuery};
use crate::control::Actor;
use crate::engine::Audit;
use crate::error::Result;
use crate::page::Page;
use crate::task::filter::MAX_SCANNED_ROWS;

const AUDIT: &str = "INSERT INTO steadfast_audit (at, actor, origin, action, target, detail) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
/// Conditions follow.
const AUDIT_ENTRIES: &str = "SELECT number, at, actor, origin, action, target, detail \
     FROM steadfast_audit WHERE number < ";

#[async_trait]
impl Audit for Sqlite {
    async fn audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let entries = entries.to_vec();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { audit(connection, &entries, now).await })
        });
        written.await
    }

    async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let query = query.clone();
        let page = self.read(move |connection| {
            Box::pin(async move { audit_entries(connection, &query).await })
        });
        page.await
    }
}

/// Writes entries within a transaction.
pub(super) async fn audit(
    connection: &mut SqliteConnection,
    entries: &[AuditEntry],
    now: i64,
) -> Result<()> {
    for entry in entries {
        sqlx::query(AUDIT)
            .bind(now)
            .bind(&entry.actor.name)
            .bind(&entry.actor.origin)
            .bind(&entry.action)
            .bind(&entry.target)
            .bind(encode(&entry.detail)?)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn audit_entries(
    connection: &mut SqliteConnection,
    query: &AuditQuery,
) -> Result<Page<AuditEntry>> {
    let end = match query.needs_scan() {
        true => last_scanned(connection, query).await?,
        false => None,
    };
    let mut statement = indexed(query)?;
    if let Some(end) = &end {
        statement.push(" AND number >= ").push_bind(end.number);
    }
    if let (Some(_), Some(actor)) = (&query.target, &query.actor) {
        // The plus makes SQLite use the index on the target, which bounds the scan.
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
    Ok(query.page(entries, end))
}

/// The entries after the previous page that an index finds.
fn indexed(query: &AuditQuery) -> Result<QueryBuilder<SqliteDatabase>> {
    let mut statement = QueryBuilder::new(AUDIT_ENTRIES);
    statement.push_bind(query.page.number()?.unwrap_or(i64::MAX));
    match (&query.target, &query.actor) {
        (Some(target), _) => statement.push(" AND target = ").push_bind(target),
        (None, Some(actor)) => statement.push(" AND actor = ").push_bind(actor),
        (None, None) => &mut statement,
    };
    Ok(statement)
}

/// The last entry that a page scans; `None` if it scans all.
async fn last_scanned(
    connection: &mut SqliteConnection,
    query: &AuditQuery,
) -> Result<Option<AuditEntry>> {
    let mut statement = indexed(query)?;
    statement.push(" ORDER BY number DESC LIMIT 1 OFFSET ");
    statement.push_bind(i64::from(MAX_SCANNED_ROWS) - 1);
    statement.build().fetch_optional(connection).await?.as_ref().map(entry).transpose()
}

fn entry(row: &SqliteRow) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.try_get("number")?,
        at: Some(timestamp(row.try_get("at")?)),
        actor: Actor { name: row.try_get("actor")?, origin: row.try_get("origin")? },
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        detail: decode(row.try_get("detail")?)?,
    })
}
