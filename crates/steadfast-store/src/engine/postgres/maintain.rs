//! Periodic maintenance.

use std::time::Duration;

use async_trait::async_trait;

use super::{Postgres, compress, promote, prune, reclaim, rollup};
use crate::engine::Maintain;
use crate::error::Result;
use crate::maintenance::Promoted;
use crate::maintenance::retention::{Pruned, Retention};
use crate::queue::claim::Claimed;

#[async_trait]
impl Maintain for Postgres {
    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.deadline.short(promote::promote(self, limit)).await
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        self.deadline.short(reclaim::reclaim_expired(self, worker, limit)).await
    }

    async fn rollup(&self) -> Result<bool> {
        self.deadline.long(rollup::rollup(self)).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        self.deadline.long(prune::prune(self, retention)).await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        self.deadline.long(prune::prune_executions(&self.pool, retention)).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        self.deadline.long(compress::compress(self, older_than, limit)).await
    }
}
