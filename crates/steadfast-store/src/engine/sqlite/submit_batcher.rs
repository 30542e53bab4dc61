//! Group commit of single submissions.
//!
//! The [writer](super::writer) shares a commit among its jobs, but each job is a few statements,
//! and every statement goes to the connection's thread and back. So tasks that are submitted one
//! at a time are gathered here, and all that have arrived are one job.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::name_cache::NameCache;
use super::submit;
use super::writer::Writer;
use crate::engine::{PendingWakes, Submitted};
use crate::error::{Result, StoreError};
use crate::events::notifier::Notifier;
use crate::queue::submit::CheckedTask;

/// The number of tasks that may wait for a commit; further callers wait to send theirs.
const QUEUE_CAPACITY: usize = 256;
/// The number of tasks in one job, so that the first is answered soon.
const MAX_BATCH_TASKS: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct SubmitBatcher {
    tasks: mpsc::Sender<PendingSubmit>,
}

/// A task that waits for a commit, and its caller.
#[derive(Debug)]
struct PendingSubmit {
    task: CheckedTask,
    caller: oneshot::Sender<Result<Submitted>>,
}

impl SubmitBatcher {
    /// Starts the task. It ends with the last handle.
    pub(super) fn start(writer: Writer, names: Arc<NameCache>, notifier: Notifier) -> Self {
        let (tasks, pending) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(BatchWriter { writer, names, notifier }.run(pending));
        Self { tasks }
    }

    /// Returns when the task is committed. Only its id may conflict: any other failure fails the
    /// whole batch.
    pub(super) async fn submit(&self, task: CheckedTask) -> Result<Submitted> {
        let (caller, answer) = oneshot::channel();
        let pending = PendingSubmit { task, caller };
        self.tasks.send(pending).await.map_err(|_| StoreError::closed())?;
        answer.await.map_err(|_| StoreError::closed())?
    }
}

struct BatchWriter {
    writer: Writer,
    names: Arc<NameCache>,
    notifier: Notifier,
}

impl BatchWriter {
    async fn run(self, mut pending: mpsc::Receiver<PendingSubmit>) {
        let mut batch = Vec::with_capacity(MAX_BATCH_TASKS);
        while pending.recv_many(&mut batch, MAX_BATCH_TASKS).await > 0 {
            let wanted = batch.drain(..).filter(|pending| !pending.caller.is_closed());
            let (tasks, callers) = wanted.map(|pending| (pending.task, pending.caller)).unzip();
            self.write_batch(Arc::new(tasks), callers).await;
        }
    }

    async fn write_batch(
        &self,
        mut tasks: Arc<Vec<CheckedTask>>,
        mut callers: Vec<oneshot::Sender<Result<Submitted>>>,
    ) {
        let mut conflicting = Vec::new();
        loop {
            match self.write(tasks.clone()).await {
                Ok((submitted, wakes)) => {
                    self.notify_all(wakes);
                    for (caller, submitted) in callers.into_iter().zip(submitted) {
                        let _ = caller.send(Ok(submitted));
                    }
                    break;
                }
                Err(StoreError::IdTaken(id)) => {
                    let batch = Arc::unwrap_or_clone(tasks).into_iter().zip(callers);
                    let (taken, others): (Vec<_>, Vec<_>) =
                        batch.partition(|(task, _)| task.draft.id == id);
                    conflicting.extend(taken);
                    let (rest, waiting) = others.into_iter().unzip();
                    (tasks, callers) = (Arc::new(rest), waiting);
                }
                Err(error) => {
                    fail_all(callers, error);
                    break;
                }
            }
        }
        // One at a time, the task that matches the existing one succeeds and the others fail.
        for (task, caller) in conflicting {
            let _ = caller.send(self.write_one(task).await);
        }
    }

    async fn write_one(&self, task: CheckedTask) -> Result<Submitted> {
        let (submitted, wakes) = self.write(Arc::new(vec![task])).await?;
        self.notify_all(wakes);
        submitted.into_iter().next().ok_or_else(StoreError::closed)
    }

    async fn write(&self, tasks: Arc<Vec<CheckedTask>>) -> Result<(Vec<Submitted>, PendingWakes)> {
        if tasks.is_empty() {
            return Ok((Vec::new(), PendingWakes::default()));
        }
        let names = self.names.clone();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { submit::write(connection, &tasks, now, &names).await })
        });
        written.await
    }

    fn notify_all(&self, wakes: PendingWakes) {
        wakes.wakes().for_each(|wake| self.notifier.notify(wake));
    }
}

fn fail_all(callers: Vec<oneshot::Sender<Result<Submitted>>>, error: StoreError) {
    let error = error.into_shared();
    for caller in callers {
        let _ = caller.send(Err(error.clone().into()));
    }
}
