//! Periodic maintenance.

use std::time::Duration;

use async_trait::async_trait;

use super::writer::job;
use super::{Sqlite, compress, now, promote, prune, reclaim, rollup};
use crate::engine::Maintain;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::maintenance::Promoted;
use crate::maintenance::retention::{Pruned, Retention};
use crate::queue::claim::Claimed;

#[async_trait]
impl Maintain for Sqlite {
    async fn promote(&self, limit: u32) -> Result<Promoted> {
        let promote = job!(|connection, now| promote::promote(connection, limit, now).await);
        let promoted = self.writer.run(promote).await?;
        if promoted.count > 0 {
            self.notifier.notify(Wake::Ready);
        }
        Ok(promoted)
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        let worker = worker.to_owned();
        let reclaim =
            job!(|connection, now| reclaim::reclaim_expired(connection, &worker, limit, now).await);
        let Some((claimed, mut lost_by)) = self.writer.run(reclaim).await? else {
            return Ok(Vec::new());
        };
        let tasks = claimed.decode(self).await?.into_iter();
        let with_worker = |task: Claimed| lost_by.remove(&task.id).map(|worker| (task, worker));
        Ok(tasks.filter_map(with_worker).collect())
    }

    async fn rollup(&self) -> Result<bool> {
        let next = rollup::next_minute(&mut **self.reader().await?).await?;
        let Some(minute) = next else {
            return Ok(false);
        };
        self.writer.run(job!(|connection, _now| rollup::write(connection, &minute).await)).await?;
        Ok(true)
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        if retention.dry_run {
            return prune::count(&mut **self.reader().await?, retention).await;
        }
        let candidates = prune::find(&mut **self.reader().await?, retention).await?;
        let retention = retention.clone();
        let prune =
            job!(|connection, now| prune::prune(connection, &candidates, &retention, now).await);
        self.writer.run(prune).await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        let mut reader = self.reader().await?;
        let now = now(&mut reader).await?;
        let candidates = prune::find_executions(&mut reader, retention, now).await?;
        drop(reader);
        if retention.dry_run || candidates.is_empty() {
            return Ok(candidates.len() as u64);
        }
        let retention = retention.clone();
        let prune =
            job!(|connection, now| prune::prune_executions(connection, &retention, now).await);
        self.writer.run(prune).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        let compressed = compress::find(&mut **self.reader().await?, older_than, limit).await?;
        if compressed.is_empty() {
            return Ok(0);
        }
        let compress = job!(|connection, _now| compress::compress(connection, &compressed).await);
        self.writer.run(compress).await
    }
}
