//! The audit log (K3).

use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::Sqlite;
use super::row::encode;
use super::writer::job;
use crate::audit::{AuditEntry, AuditQuery};
use crate::engine::Audit;
use crate::engine::audit::{AuditStatement, audit_entry};
use crate::error::Result;
use crate::page::Page;

const AUDIT: &str = "INSERT INTO steadfast_audit (at, actor, origin, action, target, detail) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
/// Conditions follow.
const AUDIT_ENTRIES: &str = "SELECT number, at, actor, origin, action, target, detail \
     FROM steadfast_audit WHERE number < ";

#[async_trait]
impl Audit for Sqlite {
    async fn audit(&self, entries: &[AuditEntry]) -> Result<()> {
        let entries = entries.to_vec();
        self.writer.run(job!(|connection, now| audit(connection, &entries, now).await)).await
    }

    async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let mut connection = self.reader().await?;
        let mut end = None;
        if query.needs_scan() {
            let mut last = AuditStatement::indexed(AUDIT_ENTRIES, query)?.last_scanned();
            let last = last.build().fetch_optional(&mut **connection).await?;
            end = last.as_ref().map(audit_entry).transpose()?;
        }
        let page = AuditStatement::indexed(AUDIT_ENTRIES, query)?;
        // The plus makes SQLite use the index on the target, which bounds the scan.
        let mut page = page.page(query, end.as_ref(), " AND +actor = ");
        let rows = page.build().fetch_all(&mut **connection).await?;
        Ok(query.page(rows.iter().map(audit_entry).collect::<Result<_>>()?, end))
    }
}

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
