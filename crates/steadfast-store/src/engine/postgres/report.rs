//! Reports of instances about their workers, breakers and budgets.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::postgres::PgRow;

use super::Postgres;
use super::row::encode;
use super::time::{Time, micros};
use crate::control::Actor;
use crate::engine::Report;
use crate::error::Result;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport, INSTANCE_TIMEOUT};
use crate::report::worker::{BudgetReport, WORKER_RETENTION, WorkerReport};

const REPORT_WORKER: &str = "INSERT INTO steadfast.workers (name, instance, seen_at, report) \
     VALUES ($1, $2, now(), $3::json) ON CONFLICT (name, instance) \
     DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report";
const WORKERS: &str = "SELECT seen_at, report::text AS report FROM steadfast.workers \
     WHERE seen_at > now() - $1::bigint * interval '1 microsecond' \
     ORDER BY name, instance LIMIT 1000";
const REPORT_BUDGETS: &str = include_str!("sql/report_budgets.sql");
const BUDGETS: &str = "SELECT seen_at, report::text AS report FROM steadfast.budgets \
     WHERE seen_at > now() - $1::bigint * interval '1 microsecond' ORDER BY policy, instance";
const REPORT_BREAKERS: &str = include_str!("sql/report_breakers.sql");
const BREAKERS: &str = "SELECT seen_at, report::text AS report FROM steadfast.breakers \
     WHERE seen_at > now() - $1::bigint * interval '1 microsecond' ORDER BY policy, instance";
const BREAKER_OVERRIDES: &str = "SELECT policy, number, wish, at, actor, source \
     FROM steadfast.breaker_orders ORDER BY policy";

#[async_trait]
impl Report for Postgres {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        let instance = report.instance.as_deref().unwrap_or_default();
        let write =
            sqlx::query(REPORT_WORKER).bind(&report.name).bind(instance).bind(encode(report)?);
        self.deadline.short(async { Ok(write.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        let delete = sqlx::query("DELETE FROM steadfast.workers WHERE name = $1 AND instance = $2")
            .bind(name)
            .bind(instance.unwrap_or_default());
        self.deadline.short(async { Ok(delete.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        let workers = sqlx::query(WORKERS).bind(micros(WORKER_RETENTION));
        let rows = self.deadline.short(async { Ok(workers.fetch_all(&self.pool).await?) }).await?;
        decode_reports(&rows, |report: WorkerReport, seen_at| WorkerReport { seen_at, ..report })
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        let bodies = reports.iter().map(encode).collect::<Result<Vec<_>>>()?;
        let policies: Vec<&str> = reports.iter().map(|report| report.policy.as_str()).collect();
        let instances: Vec<&str> = reports.iter().map(|report| report.instance.as_str()).collect();
        let write = sqlx::query(REPORT_BUDGETS).bind(policies).bind(instances).bind(bodies);
        self.deadline.short(async { Ok(write.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        let budgets = sqlx::query(BUDGETS).bind(micros(INSTANCE_TIMEOUT));
        let rows = self.deadline.short(async { Ok(budgets.fetch_all(&self.pool).await?) }).await?;
        decode_reports(&rows, |report: BudgetReport, seen_at| BudgetReport { seen_at, ..report })
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        let bodies = reports.iter().map(encode).collect::<Result<Vec<_>>>()?;
        let policies: Vec<&str> = reports.iter().map(|report| report.policy.as_str()).collect();
        let instances: Vec<&str> = reports.iter().map(|report| report.instance.as_str()).collect();
        let write = sqlx::query(REPORT_BREAKERS).bind(policies).bind(instances).bind(bodies);
        self.deadline.short(async { Ok(write.execute(&self.pool).await.map(drop)?) }).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        let breakers = sqlx::query(BREAKERS).bind(micros(INSTANCE_TIMEOUT));
        let rows = self.deadline.short(async { Ok(breakers.fetch_all(&self.pool).await?) }).await?;
        decode_reports(&rows, |report: BreakerReport, seen_at| BreakerReport { seen_at, ..report })
    }

    async fn breaker_overrides(&self) -> Result<Vec<BreakerOverride>> {
        let overrides = sqlx::query(BREAKER_OVERRIDES);
        let rows = async { Ok(overrides.fetch_all(&self.pool).await?) };
        let rows = self.deadline.short(rows).await?;
        let overrides = rows.iter().map(breaker_override).collect::<Result<Vec<_>>>()?;
        Ok(overrides.into_iter().flatten().collect())
    }
}

/// The reports with their times, without those that only a newer version can decode.
fn decode_reports<T: DeserializeOwned>(
    rows: &[PgRow],
    with_time: impl Fn(T, Option<Timestamp>) -> T,
) -> Result<Vec<T>> {
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let seen_at = row.try_get::<Time, _>("seen_at")?.0;
        let report = serde_json::from_str(row.try_get("report")?).ok();
        reports.extend(report.map(|report| with_time(report, Some(seen_at))));
    }
    Ok(reports)
}

/// `None` for a command of a newer version.
fn breaker_override(row: &PgRow) -> Result<Option<BreakerOverride>> {
    let Some(command) = BreakerCommand::named(row.try_get("wish")?) else {
        return Ok(None);
    };
    Ok(Some(BreakerOverride {
        number: row.try_get("number")?,
        policy: row.try_get("policy")?,
        command,
        actor: Actor { name: row.try_get("actor")?, origin: row.try_get("source")? },
        at: row.try_get::<Time, _>("at")?.0,
    }))
}
