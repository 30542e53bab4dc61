//! The audit log (K3).

use async_trait::async_trait;
use sqlx::PgConnection;

use super::Postgres;
use super::row::column;
use crate::audit::{AuditEntry, AuditQuery};
use crate::engine::Audit;
use crate::engine::audit::{AuditStatement, audit_entry};
use crate::error::Result;
use crate::page::Page;

/// Conditions follow.
const AUDIT_ENTRIES: &str = "SELECT number, at, actor, source AS origin, action, target, \
     detail::text AS detail FROM steadfast.audit WHERE number < ";

#[async_trait]
impl Audit for Postgres {
    async fn audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let write = async { audit(&mut *self.pool.acquire().await?, entries).await };
        self.deadline.short(write).await
    }

    async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let read = async {
            let mut end = None;
            if query.needs_scan() {
                let mut last = AuditStatement::indexed(AUDIT_ENTRIES, query)?.last_scanned();
                let last = last.build().fetch_optional(&self.pool).await?;
                end = last.as_ref().map(audit_entry).transpose()?;
            }
            let page = AuditStatement::indexed(AUDIT_ENTRIES, query)?;
            let mut page = page.page(query, end.as_ref(), " AND actor = ");
            let rows = page.build().fetch_all(&self.pool).await?;
            Ok(query.page(rows.iter().map(audit_entry).collect::<Result<_>>()?, end))
        };
        self.deadline.short(read).await
    }
}

pub(super) async fn audit(connection: &mut PgConnection, entries: &[AuditEntry]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/audit.sql"))
        .bind(column(entries, |entry| entry.actor.name.as_str()))
        .bind(column(entries, |entry| entry.actor.origin.as_deref()))
        .bind(column(entries, |entry| entry.action.as_str()))
        .bind(column(entries, |entry| entry.target.as_deref()))
        .bind(column(entries, |entry| entry.detail.to_string()))
        .execute(connection)
        .await?;
    Ok(())
}
