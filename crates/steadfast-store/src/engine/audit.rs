//! The role that stores the audit log.

use async_trait::async_trait;
use sqlx::{Database, Encode, QueryBuilder, Type};

use super::row::EngineRow;
use super::time::Time;
use crate::audit::{AuditEntry, AuditQuery, names_of};
use crate::control::Actor;
use crate::error::Result;
use crate::page::Page;
use crate::task::filter::MAX_SCANNED_ROWS;

/// Stores the audit log.
#[async_trait]
pub trait Audit: Send + Sync + 'static {
    /// Writes entries, all or none (K3).
    async fn audit(&self, entries: &[AuditEntry]) -> Result<()>;

    /// The entries that match, newest first.
    async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>>;
}

pub(super) fn audit_entry(row: &impl EngineRow) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.get("number")?,
        at: Some(row.time("at")?),
        actor: Actor { name: row.get("actor")?, origin: row.get("origin")? },
        action: row.get("action")?,
        target: row.get("target")?,
        detail: row.json("detail")?,
    })
}

/// A query of the log. Only the conditions that are needed are written: the planner sees an index
/// only where its column is compared.
pub(super) struct AuditStatement<DB: Database>(QueryBuilder<DB>);

impl<DB: Database> AuditStatement<DB>
where
    i64: for<'q> Encode<'q, DB> + Type<DB>,
    String: for<'q> Encode<'q, DB> + Type<DB>,
    Time: for<'q> Encode<'q, DB> + Type<DB>,
{
    /// The entries after the previous page that an index finds. `select` ends with `number < `.
    pub(super) fn indexed(select: &str, query: &AuditQuery) -> Result<Self> {
        let mut statement = QueryBuilder::new(select);
        statement.push_bind(query.page.parsed::<i64>()?.unwrap_or(i64::MAX));
        match (&query.target, &query.actor) {
            (Some(target), _) => statement.push(" AND target = ").push_bind(target),
            (None, Some(actor)) => statement.push(" AND actor = ").push_bind(actor),
            (None, None) => &mut statement,
        };
        Ok(Self(statement))
    }

    /// The last entry that a page scans; none if it scans all.
    pub(super) fn last_scanned(self) -> QueryBuilder<DB> {
        let Self(mut statement) = self;
        statement.push(" ORDER BY number DESC LIMIT 1 OFFSET ");
        statement.push_bind(i64::from(MAX_SCANNED_ROWS) - 1);
        statement
    }

    /// The entries of a page that scans up to `end`. `and_actor` is the condition on the actor of
    /// entries that the index on the target finds.
    pub(super) fn page(
        self,
        query: &AuditQuery,
        end: Option<&AuditEntry>,
        and_actor: &str,
    ) -> QueryBuilder<DB> {
        let Self(mut statement) = self;
        if let Some(number) = end.and_then(|end| end.number) {
            statement.push(" AND number >= ").push_bind(number);
        }
        if let (Some(_), Some(actor)) = (&query.target, &query.actor) {
            statement.push(and_actor).push_bind(actor);
        }
        if let Some(action) = &query.action {
            let [name, former] = names_of(action).map(str::to_owned);
            statement.push(" AND action IN (").push_bind(name);
            statement.push(", ").push_bind(former).push(")");
        }
        if let Some(since) = query.since {
            statement.push(" AND at >= ").push_bind(Time(since));
        }
        let limit = i64::from(query.page.limit) + 1;
        statement.push(" ORDER BY number DESC LIMIT ").push_bind(limit);
        statement
    }
}
