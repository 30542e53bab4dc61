//! Registrations of workers, and budget states (H2, G3).
//!
//! A worker without tasks has no lease, so an idle fleet would look like a lost one. A budget
//! lives in a process, as a breaker does. So each instance reports both regularly; reports that are
//! not renewed expire.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::guard::BudgetSettings;

use crate::error::Result;
use crate::store::Store;
use crate::task::name;

/// The age at which a report is deleted.
pub(crate) const WORKER_RETENTION: Duration = Duration::from_secs(600);

/// The registration of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Its name, as in leases.
    pub name: String,
    /// The process that it runs in; `None` for a worker over HTTP.
    pub instance: Option<String>,
    /// The time of the report, by the store's clock; `None` before it is written.
    pub seen_at: Option<Timestamp>,
    /// The queues that it serves; `None` for all.
    pub queues: Option<Vec<String>>,
    /// The number of tasks that it can run at a time.
    pub concurrency: Option<u32>,
    /// The number of tasks that it runs.
    pub running: Option<u32>,
}

/// The state of one instance's budget of one policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetReport {
    /// The policy.
    pub policy: String,
    /// The instance.
    pub instance: String,
    /// The time of the report, by the store's clock; `None` before it is written.
    pub seen_at: Option<Timestamp>,
    /// The number of retries that it would grant now.
    pub balance: u64,
    /// Its settings.
    pub settings: BudgetSettings,
}

impl Store {
    /// Stores a worker's registration.
    ///
    /// # Errors
    /// A name is invalid, or the database failed.
    pub async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        name("name", &report.name)?;
        report.instance.as_deref().map_or(Ok(()), |instance| name("instance", instance))?;
        for queue in report.queues.iter().flatten() {
            name("queues", queue)?;
        }
        self.roles.report.report_worker(report).await
    }

    /// Deletes the registration of a worker that has shut down.
    ///
    /// # Errors
    /// The database failed.
    pub async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        self.roles.report.deregister_worker(name, instance).await
    }

    /// The workers that were reported in the last ten minutes, by name and instance, at most a
    /// thousand.
    ///
    /// # Errors
    /// The database failed.
    pub async fn workers(&self) -> Result<Vec<WorkerReport>> {
        self.roles.report.workers().await
    }

    /// Stores the budgets of an instance.
    ///
    /// # Errors
    /// A name is invalid, or the database failed.
    pub async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        for report in reports {
            name("policy", &report.policy)?;
            name("instance", &report.instance)?;
        }
        self.roles.report.report_budgets(reports).await
    }

    /// The budgets that were reported in the last 90 seconds, by policy and instance.
    ///
    /// # Errors
    /// The database failed.
    pub async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        self.roles.report.budgets().await
    }
}
