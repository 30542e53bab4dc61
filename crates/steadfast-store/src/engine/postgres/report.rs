//! Reports of instances about their workers, breakers and budgets.

use async_trait::async_trait;
use serde::Serialize;

use super::Postgres;
use super::row::column;
use crate::engine::Report;
use crate::engine::report::{decode_overrides, decode_reports};
use crate::engine::row::encode;
use crate::engine::time::micros;
use crate::error::Result;
use crate::report::{
    BreakerOverride, BreakerReport, BudgetReport, INSTANCE_TIMEOUT, WORKER_RETENTION, WorkerReport,
};

const REPORT_WORKER: &str = "INSERT INTO steadfast.workers (name, instance, seen_at, report) \
     VALUES ($1, $2, now(), $3::json) ON CONFLICT (name, instance) \
     DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report";
const WORKERS: &str = "SELECT seen_at, report::text AS report FROM steadfast.workers \
     WHERE seen_at > now() - $1::bigint * interval '1 microsecond' \
     ORDER BY name, instance LIMIT 1000";
const BUDGETS: &str = "SELECT seen_at, report::text AS report FROM steadfast.budgets \
     WHERE seen_at > now() - $1::bigint * interval '1 microsecond' ORDER BY policy, instance";
const BREAKERS: &str = "SELECT seen_at, report::text AS report FROM steadfast.breakers \
     WHERE seen_at > now() - $1::bigint * interval '1 microsecond' ORDER BY policy, instance";
const BREAKER_OVERRIDES: &str = "SELECT policy, number, wish AS command, at, actor, source AS origin \
     FROM steadfast.breaker_orders ORDER BY policy";

#[async_trait]
impl Report for Postgres {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        let instance = report.instance.as_deref().unwrap_or_default();
        let write = sqlx::query(REPORT_WORKER).bind(&report.name).bind(instance);
        self.execute(write.bind(encode(report)?)).await
    }

    async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        let delete = sqlx::query("DELETE FROM steadfast.workers WHERE name = $1 AND instance = $2");
        self.execute(delete.bind(name).bind(instance.unwrap_or_default())).await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        let rows = self.rows(sqlx::query(WORKERS).bind(micros(WORKER_RETENTION))).await?;
        decode_reports(&rows, |report: WorkerReport, seen_at| WorkerReport { seen_at, ..report })
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        let keys = column(reports, |report| (&*report.policy, &*report.instance));
        self.report(include_str!("sql/report_budgets.sql"), &keys, reports).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        let rows = self.rows(sqlx::query(BUDGETS).bind(micros(INSTANCE_TIMEOUT))).await?;
        decode_reports(&rows, |report: BudgetReport, seen_at| BudgetReport { seen_at, ..report })
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        let keys = column(reports, |report| (&*report.policy, &*report.instance));
        self.report(include_str!("sql/report_breakers.sql"), &keys, reports).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        let rows = self.rows(sqlx::query(BREAKERS).bind(micros(INSTANCE_TIMEOUT))).await?;
        decode_reports(&rows, |report: BreakerReport, seen_at| BreakerReport { seen_at, ..report })
    }

    async fn breaker_overrides(&self) -> Result<Vec<BreakerOverride>> {
        decode_overrides(&self.rows(sqlx::query(BREAKER_OVERRIDES)).await?)
    }
}

impl Postgres {
    /// Writes reports by policy and instance.
    async fn report<T: Serialize>(
        &self,
        statement: &'static str,
        keys: &[(&str, &str)],
        reports: &[T],
    ) -> Result<()> {
        let write = sqlx::query(statement)
            .bind(column(keys, |(policy, _)| *policy))
            .bind(column(keys, |(_, instance)| *instance))
            .bind(reports.iter().map(encode).collect::<Result<Vec<_>>>()?);
        self.execute(write).await
    }
}
