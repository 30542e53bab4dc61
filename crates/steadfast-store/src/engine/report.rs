//! The role that stores the reports of instances.

use async_trait::async_trait;

use crate::error::Result;
use crate::report::breaker::{BreakerOverride, BreakerReport};
use crate::report::worker::{BudgetReport, WorkerReport};

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
