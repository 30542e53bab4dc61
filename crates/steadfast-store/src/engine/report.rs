//! The role that stores the reports of instances.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::row::EngineRow;
use crate::control::Actor;
use crate::error::Result;
use crate::report::{BreakerCommand, BreakerOverride, BreakerReport, BudgetReport, WorkerReport};

/// Stores the reports of instances about their workers, breakers and budgets.
#[async_trait]
pub trait Report: Send + Sync + 'static {
    /// Stores a worker's registration.
    async fn report_worker(&self, report: &WorkerReport) -> Result<()>;

    /// Deletes the registration of a worker that has shut down.
    async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()>;

    /// Recently reported workers, at most a thousand.
    async fn workers(&self) -> Result<Vec<WorkerReport>>;

    /// Stores the budgets of one instance.
    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()>;

    /// The budgets of all live instances.
    async fn budgets(&self) -> Result<Vec<BudgetReport>>;

    /// Stores the breaker states of one instance.
    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()>;

    /// The breaker states of all live instances.
    async fn breakers(&self) -> Result<Vec<BreakerReport>>;

    /// The last override of each policy's breakers.
    async fn breaker_overrides(&self) -> Result<Vec<BreakerOverride>>;
}

/// The reports with their times, without those that only a newer version can decode.
pub(super) fn decode_reports<T: DeserializeOwned>(
    rows: &[impl EngineRow],
    with_time: impl Fn(T, Option<Timestamp>) -> T,
) -> Result<Vec<T>> {
    let mut reports = Vec::with_capacity(rows.len());
    for row in rows {
        let seen_at = Some(row.time("seen_at")?);
        reports.extend(row.json("report").ok().map(|report| with_time(report, seen_at)));
    }
    Ok(reports)
}

/// The overrides, without commands of a newer version.
pub(super) fn decode_overrides(rows: &[impl EngineRow]) -> Result<Vec<BreakerOverride>> {
    let mut overrides = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(command) = BreakerCommand::named(row.text("command")?) else { continue };
        overrides.push(BreakerOverride {
            number: row.get("number")?,
            policy: row.get("policy")?,
            command,
            actor: Actor { name: row.get("actor")?, origin: row.get("origin")? },
            at: row.time("at")?,
        });
    }
    Ok(overrides)
}
