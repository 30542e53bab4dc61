//! The audit log (K3).

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, QueryBuilder, Row};

use super::Postgres;
use super::row::decode;
use super::time::Time;
use crate::audit::{AuditEntry, AuditQuery};
use crate::control::Actor;
use crate::engine::Audit;
use crate::error::Result;
use crate::page::Page;
use crate::task::filter::MAX_SCANNED_ROWS;

const AUDIT: &str = include_str!("sql/audit.sql");
/// Conditions follow: the planner sees an index only where its column is compared.
const AUDIT_ENTRIES: &str = "SELECT number, at, actor, source, action, target, \
     detail::text AS detail FROM steadfast.audit WHERE number < ";

#[async_trait]
impl Audit for Postgres {
    async fn audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let write = async { audit(&mut *self.pool.acquire().await?, entries).await };
        self.deadline.short(write).await
    }

    async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let read = async {
            let end = match query.needs_scan() {
                true => self.last_scanned(query).await?,
                false => None,
            };
            let mut statement = indexed(query)?;
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
            Ok(query.page(entries, end))
        };
        self.deadline.short(read).await
    }
}

impl Postgres {
    /// The last entry that a page scans; `None` if it scans all.
    async fn last_scanned(&self, query: &AuditQuery) -> Result<Option<AuditEntry>> {
        let mut statement = indexed(query)?;
        statement.push(" ORDER BY number DESC LIMIT 1 OFFSET ");
        statement.push_bind(i64::from(MAX_SCANNED_ROWS) - 1);
        statement.build().fetch_optional(&self.pool).await?.as_ref().map(entry).transpose()
    }
}

/// Writes entries within a transaction.
pub(super) async fn audit(connection: &mut PgConnection, entries: &[AuditEntry]) -> Result<()> {
    let each = || entries.iter();
    sqlx::query(AUDIT)
        .bind(each().map(|entry| entry.actor.name.as_str()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.actor.origin.as_deref()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.action.as_str()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.target.as_deref()).collect::<Vec<_>>())
        .bind(each().map(|entry| entry.detail.to_string()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// The entries after the previous page that an index finds.
fn indexed(query: &AuditQuery) -> Result<QueryBuilder<sqlx::Postgres>> {
    let mut statement = QueryBuilder::new(AUDIT_ENTRIES);
    statement.push_bind(query.page.number()?.unwrap_or(i64::MAX));
    match (&query.target, &query.actor) {
        (Some(target), _) => statement.push(" AND target = ").push_bind(target),
        (None, Some(actor)) => statement.push(" AND actor = ").push_bind(actor),
        (None, None) => &mut statement,
    };
    Ok(statement)
}

fn entry(row: &PgRow) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.try_get("number")?,
        at: Some(row.try_get::<Time, _>("at")?.0),
        actor: Actor { name: row.try_get("actor")?, origin: row.try_get("source")? },
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        detail: decode(row.try_get("detail")?)?,
    })
}
