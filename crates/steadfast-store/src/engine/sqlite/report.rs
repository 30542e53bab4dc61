//! Reports of instances about their workers, breakers and budgets.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::row::{before, decode, encode, timestamp};
use super::{Sqlite, now};
use crate::control::Actor;
use crate::engine::Report;
use crate::error::Result;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport, INSTANCE_TIMEOUT};
use crate::report::worker::{BudgetReport, WORKER_RETENTION, WorkerReport};

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
const BREAKER_OVERRIDES: &str = "SELECT policy, number, wish, at, actor, origin \
     FROM steadfast_breaker_orders ORDER BY policy";

/// The age at which breaker reports are deleted.
const BREAKER_RETENTION: Duration = Duration::from_secs(3600);

#[async_trait]
impl Report for Sqlite {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        let (name, instance) = (report.name.clone(), report.instance.clone().unwrap_or_default());
        let report = encode(report)?;
        let written = self.writer.run(move |connection, now| {
            let write = sqlx::query(REPORT_WORKER).bind(name).bind(instance).bind(now).bind(report);
            Box::pin(async move { Ok(write.execute(connection).await.map(drop)?) })
        });
        written.await
    }

    async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        let (name, instance) = (name.to_owned(), instance.unwrap_or_default().to_owned());
        let deleted = self.writer.run(move |connection, _| {
            let delete = sqlx::query(DEREGISTER_WORKER).bind(name).bind(instance);
            Box::pin(async move { Ok(delete.execute(connection).await.map(drop)?) })
        });
        deleted.await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        let rows = self.reported_within(WORKERS, WORKER_RETENTION).await?;
        decode_reports(&rows, |report: WorkerReport, seen_at| WorkerReport { seen_at, ..report })
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        let rows = report_rows(reports, |report| (&report.policy, &report.instance))?;
        let written = self.writer.run(move |connection, now| {
            let write = sqlx::query(REPORT_BUDGETS).bind(rows).bind(now);
            Box::pin(async move { Ok(write.execute(connection).await.map(drop)?) })
        });
        written.await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        let rows = self.reported_within(BUDGETS, INSTANCE_TIMEOUT).await?;
        decode_reports(&rows, |report: BudgetReport, seen_at| BudgetReport { seen_at, ..report })
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        let rows = report_rows(reports, |report| (&report.policy, &report.instance))?;
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move {
                sqlx::query("DELETE FROM steadfast_breakers WHERE seen_at < ?1")
                    .bind(before(now, BREAKER_RETENTION))
                    .execute(&mut *connection)
                    .await?;
                sqlx::query(REPORT_BREAKERS).bind(rows).bind(now).execute(connection).await?;
                Ok(())
            })
        });
        written.await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        let rows = self.reported_within(BREAKERS, INSTANCE_TIMEOUT).await?;
        decode_reports(&rows, |report: BreakerReport, seen_at| BreakerReport { seen_at, ..report })
    }

    async fn breaker_overrides(&self) -> Result<Vec<BreakerOverride>> {
        let rows = self.read(|connection| {
            Box::pin(async move { Ok(sqlx::query(BREAKER_OVERRIDES).fetch_all(connection).await?) })
        });
        let rows = rows.await?;
        let overrides = rows.iter().map(breaker_override).collect::<Result<Vec<_>>>()?;
        Ok(overrides.into_iter().flatten().collect())
    }
}

impl Sqlite {
    /// The rows of reports that are no older than this.
    async fn reported_within(
        &self,
        statement: &'static str,
        max_age: Duration,
    ) -> Result<Vec<SqliteRow>> {
        let rows = self.read(move |connection| {
            Box::pin(async move {
                let since = before(now(connection).await?, max_age);
                Ok(sqlx::query(statement).bind(since).fetch_all(connection).await?)
            })
        });
        rows.await
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

/// The reports with their times, without those that only a newer version can decode.
fn decode_reports<T: DeserializeOwned>(
    rows: &[SqliteRow],
    with_time: impl Fn(T, Option<Timestamp>) -> T,
) -> Result<Vec<T>> {
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let seen_at = timestamp(row.try_get("seen_at")?);
        let report = decode(row.try_get("report")?).ok();
        reports.extend(report.map(|report| with_time(report, Some(seen_at))));
    }
    Ok(reports)
}

/// `None` for a command of a newer version.
fn breaker_override(row: &SqliteRow) -> Result<Option<BreakerOverride>> {
    let Some(command) = BreakerCommand::named(row.try_get("wish")?) else {
        return Ok(None);
    };
    Ok(Some(BreakerOverride {
        number: row.try_get("number")?,
        policy: row.try_get("policy")?,
        command,
        actor: Actor { name: row.try_get("actor")?, origin: row.try_get("origin")? },
        at: timestamp(row.try_get("at")?),
    }))
}
