//! Who works, and how much retrying there is left: what each instance says of itself (H2, G3).
//!
//! A worker that holds no task is in no lease, so a fleet that is idle would look like one that is
//! gone. A budget lives in a process, as a breaker does. So each says now and then that it is there
//! and how it stands, by the store's clock; what has not been said for a while is not believed any
//! more, and forgotten.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::guard::BudgetSettings;

use crate::error::Result;
use crate::store::Store;
use crate::task::name;

/// A worker that has said nothing for this long is gone for good.
pub(crate) const KEPT: Duration = Duration::from_secs(600);

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// What it is called, in leases too.
    pub name: String,
    /// The process that it runs in; nothing for one that comes over HTTP.
    pub instance: Option<String>,
    /// When it last said so, by the store's clock; nothing before it is written.
    pub seen_at: Option<Timestamp>,
    /// The queues that it serves; all of them if there is none.
    pub queues: Option<Vec<String>>,
    /// How many tasks it runs at a time, if it says so.
    pub concurrency: Option<u32>,
    /// How many it runs, if it says so.
    pub running: Option<u32>,
}

/// How one instance's budget of one policy stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetReport {
    /// The policy whose sessions share it.
    pub policy: String,
    /// Whose it is.
    pub instance: String,
    /// When the instance last wrote it down, by the store's clock; nothing before it is written.
    pub seen_at: Option<Timestamp>,
    /// How many retries it would grant at once.
    pub balance: u64,
    /// How much it allows.
    pub settings: BudgetSettings,
}

/// The part of an [`Engine`](crate::Engine) that keeps what instances say of themselves.
#[async_trait]
pub trait Reports: Send + Sync {
    /// A worker is there.
    async fn report_worker(&self, report: &WorkerReport) -> Result<()>;

    /// It has ended in order.
    async fn forget_worker(&self, name: &str, instance: Option<&str>) -> Result<()>;

    /// Those that were heard of lately, a thousand at most.
    async fn workers(&self) -> Result<Vec<WorkerReport>>;

    /// Writes down how budgets of one instance stand.
    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()>;

    /// How the budgets of all instances that are still there stand.
    async fn budgets(&self) -> Result<Vec<BudgetReport>>;
}

impl Store {
    /// Writes down that a worker is there.
    ///
    /// # Errors
    /// A name is none, or the database failed.
    pub async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        name("name", &report.name)?;
        report.instance.as_deref().map_or(Ok(()), |instance| name("instance", instance))?;
        for queue in report.queues.iter().flatten() {
            name("queues", queue)?;
        }
        self.engine.reports().report_worker(report).await
    }

    /// A worker has ended in order: nobody need wonder where it is.
    ///
    /// # Errors
    /// The database failed.
    pub async fn forget_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        self.engine.reports().forget_worker(name, instance).await
    }

    /// The workers that were heard of in the last ten minutes, by name and instance; the first
    /// thousand of them.
    ///
    /// # Errors
    /// The database failed.
    pub async fn workers(&self) -> Result<Vec<WorkerReport>> {
        self.engine.reports().workers().await
    }

    /// Writes down how the budgets of an instance stand.
    ///
    /// # Errors
    /// A name is none, or the database failed.
    pub async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        for report in reports {
            name("policy", &report.policy)?;
            name("instance", &report.instance)?;
        }
        self.engine.reports().report_budgets(reports).await
    }

    /// How the budgets of all instances stand that were heard of in the last minute and a half, by
    /// policy and instance.
    ///
    /// # Errors
    /// The database failed.
    pub async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        self.engine.reports().budgets().await
    }
}
