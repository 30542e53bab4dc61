//! Reports of instances about their workers, breakers and budgets.

use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use sqlx::sqlite::SqliteRow;

use super::row::{before, encode};
use super::writer::job;
use super::{Sqlite, now};
use crate::engine::Report;
use crate::engine::report::{decode_overrides, decode_reports};
use crate::error::Result;
use crate::report::{
    BreakerOverride, BreakerReport, BudgetReport, INSTANCE_TIMEOUT, WORKER_RETENTION, WorkerReport,
};

const REPORT_WORKER: &str = "INSERT INTO steadfast_workers (name, instance, seen_at, report) \
     VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name, instance) \
     DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report";
const DEREGISTER_WORKER: &str = "DELETE FROM steadfast_workers WHERE name = ?1 AND instance = ?2";
const WORKERS: &str = "SELECT seen_at, report FROM steadfast_workers WHERE seen_at > ?1 \
     ORDER BY name, instance LIMIT 1000";
const REPORT_BUDGETS: &str = "INSERT INTO steadfast_budgets (policy, instance, seen_at, report) \
     SELECT value ->> 0, value ->> 1, ?2, value ->> 2 FROM json_each(?1) WHERE true \
     ON CONFLICT (policy, instance) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report";
const BUDGETS: &str =
    "SELECT seen_at, report FROM steadfast_budgets WHERE seen_at > ?1 ORDER BY policy, instance";
const REPORT_BREAKERS: &str = "INSERT INTO steadfast_breakers (policy, instance, seen_at, report) \
     SELECT value ->> 0, value ->> 1, ?2, value ->> 2 FROM json_each(?1) WHERE true \
     ON CONFLICT (policy, instance) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report";
const BREAKERS: &str =
    "SELECT seen_at, report FROM steadfast_breakers WHERE seen_at > ?1 ORDER BY policy, instance";
const BREAKER_OVERRIDES: &str = "SELECT policy, number, wish AS command, at, actor, origin \
     FROM steadfast_breaker_orders ORDER BY policy";

/// The age at which breaker reports are deleted.
const BREAKER_RETENTION: Duration = Duration::from_secs(3600);

#[async_trait]
impl Report for Sqlite {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        let (name, instance) = (report.name.clone(), report.instance.clone().unwrap_or_default());
        let report = encode(report)?;
        let write = job!(|connection, now| {
            let write = sqlx::query(REPORT_WORKER).bind(name).bind(instance).bind(now).bind(report);
            Ok(write.execute(connection).await.map(drop)?)
        });
        self.writer.run(write).await
    }

    async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        let (name, instance) = (name.to_owned(), instance.unwrap_or_default().to_owned());
        let delete = job!(|connection, _now| {
            let delete = sqlx::query(DEREGISTER_WORKER).bind(name).bind(instance);
            Ok(delete.execute(connection).await.map(drop)?)
        });
        self.writer.run(delete).await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        let rows = self.reported_within(WORKERS, WORKER_RETENTION).await?;
        decode_reports(&rows, |report: WorkerReport, seen_at| WorkerReport { seen_at, ..report })
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        let rows = report_rows(reports, |report| (&report.policy, &report.instance))?;
        let write = job!(|connection, now| {
            let write = sqlx::query(REPORT_BUDGETS).bind(rows).bind(now);
            Ok(write.execute(connection).await.map(drop)?)
        });
        self.writer.run(write).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        let rows = self.reported_within(BUDGETS, INSTANCE_TIMEOUT).await?;
        decode_reports(&rows, |report: BudgetReport, seen_at| BudgetReport { seen_at, ..report })
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        let rows = report_rows(reports, |report| (&report.policy, &report.instance))?;
        let write = job!(|connection, now| {
            let delete = sqlx::query("DELETE FROM steadfast_breakers WHERE seen_at < ?1");
            delete.bind(before(now, BREAKER_RETENTION)).execute(&mut *connection).await?;
            let write = sqlx::query(REPORT_BREAKERS).bind(rows).bind(now);
            Ok(write.execute(connection).await.map(drop)?)
        });
        self.writer.run(write).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        let rows = self.reported_within(BREAKERS, INSTANCE_TIMEOUT).await?;
        decode_reports(&rows, |report: BreakerReport, seen_at| BreakerReport { seen_at, ..report })
    }

    async fn breaker_overrides(&self) -> Result<Vec<BreakerOverride>> {
        decode_overrides(&self.rows(sqlx::query(BREAKER_OVERRIDES)).await?)
    }
}

impl Sqlite {
    /// The rows of reports that are no older than this.
    async fn reported_within(
        &self,
        statement: &'static str,
        max_age: Duration,
    ) -> Result<Vec<SqliteRow>> {
        let mut connection = self.reader().await?;
        let since = before(now(&mut connection).await?, max_age);
        Ok(sqlx::query(statement).bind(since).fetch_all(&mut **connection).await?)
    }
}

/// Reports as JSON rows of policy, instance and report.
fn report_rows<T: Serialize>(
    reports: &[T],
    key: impl Fn(&T) -> (&String, &String),
) -> Result<String> {
    let row = |report: &T| {
        let (policy, instance) = key(report);
        Ok((policy.clone(), instance.clone(), encode(report)?))
    };
    encode(&reports.iter().map(row).collect::<Result<Vec<_>>>()?)
}
