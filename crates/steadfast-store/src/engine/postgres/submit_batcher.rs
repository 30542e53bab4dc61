//! The commits of the submit batcher.
//!
//! The pool pings every connection that is released, so the batcher keeps its connection until no
//! task has arrived for a while.

use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use tokio::time::timeout;

use super::notifier::PgNotifier;
use super::submit::{TaskNumbers, write};
use crate::engine::Submitted;
use crate::engine::submit_batcher::BatchWriter;
use crate::error::{Result, StoreError};
use crate::queue::submit::CheckedTask;

/// The deadline of one commit, because every caller waits for it.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct PgBatchWriter {
    pub(super) pool: PgPool,
    pub(super) connection: Option<PoolConnection<sqlx::Postgres>>,
    pub(super) notifier: Arc<PgNotifier>,
}

impl BatchWriter<TaskNumbers> for PgBatchWriter {
    const MAX_BATCH_TASKS: usize = 128;

    async fn prepare(&mut self) -> Result<()> {
        if self.connection.is_none() {
            self.connection = Some(self.pool.acquire().await?);
        }
        Ok(())
    }

    async fn write(
        &mut self,
        tasks: Arc<Vec<(CheckedTask, TaskNumbers)>>,
    ) -> Result<Vec<Submitted>> {
        let (tasks, numbers): (Vec<&CheckedTask>, Vec<TaskNumbers>) =
            tasks.iter().map(|(task, numbers)| (task, *numbers)).unzip();
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.pool.acquire().await?),
        };
        let written = timeout(COMMIT_TIMEOUT, write(connection, &tasks, &numbers)).await;
        match written.map_err(|_| StoreError::timed_out()).flatten() {
            Ok((submitted, wakes)) => {
                self.notifier.notify_all(wakes);
                Ok(submitted)
            }
            Err(error) => {
                if !matches!(error, StoreError::IdTaken(_)) {
                    // A statement may still be in flight on it.
                    connection.close_on_drop();
                    self.connection = None;
                }
                Err(error)
            }
        }
    }

    fn release(&mut self) {
        self.connection = None;
    }
}
