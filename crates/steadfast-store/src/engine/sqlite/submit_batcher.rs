//! The commits of the submit batcher.
//!
//! The [writer](super::writer) shares a commit among its jobs, but each job is a few statements,
//! and every statement goes to the connection's thread and back. So a batch is one job.

use std::sync::Arc;

use super::name_cache::NameCache;
use super::submit;
use super::writer::{Writer, job};
use crate::engine::Submitted;
use crate::engine::submit_batcher::BatchWriter;
use crate::error::Result;
use crate::events::notifier::Notifier;
use crate::queue::submit::CheckedTask;

pub(super) struct SqliteBatchWriter {
    pub(super) writer: Writer,
    pub(super) names: Arc<NameCache>,
    pub(super) notifier: Notifier,
}

impl BatchWriter<()> for SqliteBatchWriter {
    const MAX_BATCH_TASKS: usize = 256;

    async fn write(&mut self, tasks: Arc<Vec<(CheckedTask, ())>>) -> Result<Vec<Submitted>> {
        let names = self.names.clone();
        let write = job!(|connection, now| {
            let tasks: Vec<&CheckedTask> = tasks.iter().map(|(task, ())| task).collect();
            submit::write(connection, &tasks, now, &names).await
        });
        let (submitted, wakes) = self.writer.run(write).await?;
        self.notifier.notify_all(wakes);
        Ok(submitted)
    }
}
