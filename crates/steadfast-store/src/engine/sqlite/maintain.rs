//! Periodic maintenance.

use std::time::Duration;

use async_trait::async_trait;

use super::row::before;
use super::{Sqlite, compress, now, promote, prune, reclaim, rollup};
use crate::engine::Maintain;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::maintenance::promote::Promoted;
use crate::maintenance::retention::{Pruned, Retention};
use crate::queue::claim::Claimed;

#[async_trait]
impl Maintain for Sqlite {
    async fn promote(&self, limit: u32) -> Result<Promoted> {
        let promoted = self
            .writer
            .run(move |connection, now| Box::pin(promote::promote(connection, limit, now)));
        let promoted = promoted.await?;
        if promoted.count > 0 {
            self.notifier.notify(Wake::Ready);
        }
        Ok(promoted)
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        let worker = worker.to_owned();
        let reclaimed = self.writer.run(move |connection, now| {
            Box::pin(async move { reclaim::reclaim_expired(connection, &worker, limit, now).await })
        });
        match reclaimed.await? {
            Some(reclaimed) => reclaimed.decode(self).await,
            None => Ok(Vec::new()),
        }
    }

    async fn rollup(&self) -> Result<bool> {
        let next = self.read(|connection| Box::pin(rollup::next_minute(connection))).await?;
        let Some(minute) = next else {
            return Ok(false);
        };
        let written = self.writer.run(move |connection, _| {
            Box::pin(async move { rollup::write(connection, &minute).await })
        });
        written.await?;
        Ok(true)
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        let limits = retention.clone();
        if retention.dry_run {
            let count = self.read(move |connection| {
                Box::pin(async move { prune::count(connection, &limits).await })
            });
            return count.await;
        }
        let candidates = self.read(move |connection| {
            Box::pin(async move { prune::find(connection, &limits).await })
        });
        let (candidates, limits) = (candidates.await?, retention.clone());
        let pruned = self.writer.run(move |connection, now| {
            Box::pin(async move { prune::prune(connection, &candidates, &limits, now).await })
        });
        pruned.await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        let limits = retention.clone();
        let candidates = self.read(move |connection| {
            Box::pin(async move {
                let now = now(connection).await?;
                prune::find_executions(connection, &limits, now).await
            })
        });
        let candidates = candidates.await?;
        if retention.dry_run || candidates.is_empty() {
            return Ok(candidates.len() as u64);
        }
        let limits = retention.clone();
        let pruned = self.writer.run(move |connection, now| {
            Box::pin(async move { prune::prune_executions(connection, &limits, now).await })
        });
        pruned.await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        let compressed = self.read(move |connection| {
            Box::pin(async move {
                let now = now(connection).await?;
                compress::find(connection, before(now, older_than), limit).await
            })
        });
        let compressed = compressed.await?;
        if compressed.is_empty() {
            return Ok(0);
        }
        let replaced = self.writer.run(move |connection, _| {
            Box::pin(async move { compress::compress(connection, &compressed).await })
        });
        replaced.await
    }
}
