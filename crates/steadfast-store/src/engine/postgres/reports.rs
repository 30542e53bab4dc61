//! What workers and budgets say of themselves.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::postgres::PgRow;

use super::Postgres;
use super::time::{Time, micros};
use crate::error::Result;
use crate::report::breaker::GONE;
use crate::report::worker::{BudgetReport, KEPT, Reports, WorkerReport};

const REPORT_WORKER: &str = include_str!("sql/report_worker.sql");
const FORGET_WORKER: &str = include_str!("sql/forget_worker.sql");
const WORKERS: &str = include_str!("sql/workers.sql");
const REPORT_BUDGETS: &str = include_str!("sql/report_budgets.sql");
const BUDGETS: &str = include_str!("sql/budgets.sql");
const PRUNE: [&str; 2] =
    [include_str!("sql/prune_workers.sql"), include_str!("sql/prune_budgets.sql")];

#[async_trait]
impl Reports for Postgres {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        let instance = report.instance.as_deref().unwrap_or_default();
        let said = sqlx::query(REPORT_WORKER).bind(&report.name).bind(instance).bind(json(report)?);
        self.deadline.few(async { Ok(said.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn forget_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        let forget = sqlx::query(FORGET_WORKER).bind(name).bind(instance.unwrap_or_default());
        self.deadline.few(async { Ok(forget.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        let workers = sqlx::query(WORKERS).bind(micros(KEPT));
        let rows = self.deadline.few(async { Ok(workers.fetch_all(&self.pool).await?) }).await?;
        readable(&rows, |report: WorkerReport, seen_at| WorkerReport { seen_at, ..report })
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        let bodies = reports.iter().map(json).collect::<Result<Vec<_>>>()?;
        let policies: Vec<&str> = reports.iter().map(|report| report.policy.as_str()).collect();
        let instances: Vec<&str> = reports.iter().map(|report| report.instance.as_str()).collect();
        let said = sqlx::query(REPORT_BUDGETS).bind(policies).bind(instances).bind(bodies);
        self.deadline.few(async { Ok(said.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        let budgets = sqlx::query(BUDGETS).bind(micros(GONE));
        let rows = self.deadline.few(async { Ok(budgets.fetch_all(&self.pool).await?) }).await?;
        readable(&rows, |report: BudgetReport, seen_at| BudgetReport { seen_at, ..report })
    }
}

impl Postgres {
    /// Forgets what has not been said again for long.
    pub(super) async fn prune_reports(&self) -> Result<()> {
        for prune in PRUNE {
            sqlx::query(prune).bind(micros(KEPT)).execute(&self.pool).await?;
        }
        Ok(())
    }
}

fn json(report: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(report).map_err(|error| sqlx::Error::Encode(Box::new(error)))?)
}

/// Every report with when it was made, but for those that only a newer version can read.
fn readable<T: DeserializeOwned>(
    rows: &[PgRow],
    seen: impl Fn(T, Option<Timestamp>) -> T,
) -> Result<Vec<T>> {
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let seen_at = row.try_get::<Time, _>("seen_at")?.0;
        let report = serde_json::from_str(row.try_get("report")?).ok();
        reports.extend(report.map(|report| seen(report, Some(seen_at))));
    }
    Ok(reports)
}
