//! What workers and budgets say of themselves.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::row::{before, json, read, timestamp};
use super::{Sqlite, now};
use crate::error::Result;
use crate::report::breaker::GONE;
use crate::report::worker::{BudgetReport, KEPT, Reports, WorkerReport};

const REPORT_WORKER: &str = include_str!("sql/workers_report.sql");
const FORGET_WORKER: &str = include_str!("sql/workers_forget.sql");
const WORKERS: &str = include_str!("sql/workers_list.sql");
const REPORT_BUDGETS: &str = include_str!("sql/budgets_report.sql");
const BUDGETS: &str = include_str!("sql/budgets_list.sql");
const PRUNE: [&str; 2] =
    [include_str!("sql/prune_workers.sql"), include_str!("sql/prune_budgets.sql")];

#[async_trait]
impl Reports for Sqlite {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        let (name, instance) = (report.name.clone(), report.instance.clone().unwrap_or_default());
        let said = json(report)?;
        let written = self.writer.run(move |connection, now| {
            let said = sqlx::query(REPORT_WORKER).bind(name).bind(instance).bind(now).bind(said);
            Box::pin(async move { Ok(said.execute(connection).await.map(drop)?) })
        });
        written.await
    }

    async fn forget_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        let (name, instance) = (name.to_owned(), instance.unwrap_or_default().to_owned());
        let forgotten = self.writer.run(move |connection, _| {
            let forget = sqlx::query(FORGET_WORKER).bind(name).bind(instance);
            Box::pin(async move { Ok(forget.execute(connection).await.map(drop)?) })
        });
        forgotten.await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        let rows = self.look(|connection| {
            Box::pin(async move {
                let since = before(now(connection).await?, KEPT);
                Ok(sqlx::query(WORKERS).bind(since).fetch_all(connection).await?)
            })
        });
        readable(&rows.await?, |report: WorkerReport, seen_at| WorkerReport { seen_at, ..report })
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        let row = |report: &BudgetReport| {
            Ok((report.policy.clone(), report.instance.clone(), json(report)?))
        };
        let rows = json(&reports.iter().map(row).collect::<Result<Vec<_>>>()?)?;
        let written = self.writer.run(move |connection, now| {
            let said = sqlx::query(REPORT_BUDGETS).bind(rows).bind(now);
            Box::pin(async move { Ok(said.execute(connection).await.map(drop)?) })
        });
        written.await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        let rows = self.look(|connection| {
            Box::pin(async move {
                let since = before(now(connection).await?, GONE);
                Ok(sqlx::query(BUDGETS).bind(since).fetch_all(connection).await?)
            })
        });
        readable(&rows.await?, |report: BudgetReport, seen_at| BudgetReport { seen_at, ..report })
    }
}

/// Every report with when it was made, but for those that only a newer version can read.
fn readable<T: DeserializeOwned>(
    rows: &[SqliteRow],
    seen: impl Fn(T, Option<Timestamp>) -> T,
) -> Result<Vec<T>> {
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let seen_at = timestamp(row.try_get("seen_at")?);
        reports.extend(read(row.try_get("report")?).ok().map(|report| seen(report, Some(seen_at))));
    }
    Ok(reports)
}

/// Forgets what has not been said again for long.
pub(super) async fn prune(connection: &mut SqliteConnection, now: i64) -> Result<()> {
    for prune in PRUNE {
        sqlx::query(prune).bind(before(now, KEPT)).execute(&mut *connection).await?;
    }
    Ok(())
}
