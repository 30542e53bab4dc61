//! The role that does the periodic maintenance.

use std::time::Duration;

use async_trait::async_trait;

use super::row::EngineRow;
use crate::error::Result;
use crate::maintenance::Promoted;
use crate::maintenance::retention::{Pruned, Retention};
use crate::queue::claim::Claimed;

/// Does the periodic maintenance.
#[async_trait]
pub trait Maintain: Send + Sync + 'static {
    /// Makes up to `limit` scheduled tasks that are due pending.
    async fn promote(&self, limit: u32) -> Result<Promoted>;

    /// Reclaims up to `limit` tasks with expired leases under a new lease of `worker`, to be
    /// settled as lost. Each comes with the name of the worker that lost it.
    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>>;

    /// Aggregates the next completed minute. `false` if every completed minute is aggregated (O1).
    async fn rollup(&self) -> Result<bool>;

    /// Deletes one batch of data past its retention (D14).
    async fn prune(&self, retention: &Retention) -> Result<Pruned>;

    /// Deletes one batch of executions that are past their retention and have no open task.
    async fn prune_executions(&self, retention: &Retention) -> Result<u64>;

    /// Compresses the histories of up to `limit` tasks that ended before `older_than` ago (D14).
    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64>;
}

impl Pruned {
    /// The counts of a dry run, without executions.
    pub(super) fn counted(row: &impl EngineRow) -> Result<Self> {
        let (tasks, faults, records) =
            (row.count("tasks")?, row.count("faults")?, row.count("records")?);
        Ok(Self { tasks, faults, records, executions: 0, audit: row.count("audit")? })
    }
}
