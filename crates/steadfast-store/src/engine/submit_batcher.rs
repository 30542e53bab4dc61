//! Group commit of single submissions.
//!
//! A commit waits for the disk however little it writes. So tasks that are submitted one at a time
//! go to one task, which writes all that have arrived in one commit while the next ones gather. A
//! task whose caller has gone away before the write is not written.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::Submitted;
use crate::error::{Result, StoreError};
use crate::queue::submit::CheckedTask;

/// The number of tasks that may wait for a commit; further callers wait to send theirs.
const QUEUE_CAPACITY: usize = 256;
/// The time without a task after which the writer may release its connection.
const IDLE_AFTER: Duration = Duration::from_millis(500);

/// Writes batches of tasks. `N` is what the engine found out about a task beforehand.
pub(super) trait BatchWriter<N>: Send + 'static {
    /// The number of tasks in one commit, so that the first is answered soon.
    const MAX_BATCH_TASKS: usize;

    /// Acquires what the next write needs. It may take long, so that callers go away meanwhile.
    fn prepare(&mut self) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Writes tasks in one commit, all or none, and wakes the workers.
    fn write(
        &mut self,
        tasks: Arc<Vec<(CheckedTask, N)>>,
    ) -> impl Future<Output = Result<Vec<Submitted>>> + Send;

    /// Releases resources that are held between commits.
    fn release(&mut self) {}
}

#[derive(Clone, Debug)]
pub(super) struct SubmitBatcher<N> {
    tasks: mpsc::Sender<PendingSubmit<N>>,
}

/// A task that waits for a commit, and its caller.
type PendingSubmit<N> = ((CheckedTask, N), Caller);
type Caller = oneshot::Sender<Result<Submitted>>;

impl<N: Clone + Send + Sync + 'static> SubmitBatcher<N> {
    /// Starts the task. It ends with the last handle.
    pub(super) fn start(writer: impl BatchWriter<N>) -> Self {
        let (tasks, pending) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(run(writer, pending));
        Self { tasks }
    }

    /// Returns when the task is committed. Only its id may conflict: any other failure fails the
    /// whole batch.
    pub(super) async fn submit(&self, task: CheckedTask, numbers: N) -> Result<Submitted> {
        let (caller, answer) = oneshot::channel();
        let pending = ((task, numbers), caller);
        self.tasks.send(pending).await.map_err(|_| StoreError::closed())?;
        answer.await.map_err(|_| StoreError::closed())?
    }
}

async fn run<N: Clone + Send + Sync, W: BatchWriter<N>>(
    mut writer: W,
    mut pending: mpsc::Receiver<PendingSubmit<N>>,
) {
    let mut batch = Vec::with_capacity(W::MAX_BATCH_TASKS);
    while pending.recv_many(&mut batch, W::MAX_BATCH_TASKS).await > 0 {
        while !batch.is_empty() {
            let prepared = writer.prepare().await;
            batch.retain(|(_, caller)| !caller.is_closed());
            let (tasks, callers) = batch.drain(..).unzip();
            match prepared {
                Ok(()) => write_batch(&mut writer, tasks, callers).await,
                Err(error) => fail(callers, &error),
            }
            let _ = timeout(IDLE_AFTER, pending.recv_many(&mut batch, W::MAX_BATCH_TASKS)).await;
        }
        writer.release();
    }
}

fn fail(callers: impl IntoIterator<Item = Caller>, error: &StoreError) {
    let error = error.to_shared();
    for caller in callers {
        let _ = caller.send(Err(error.clone().into()));
    }
}

async fn write_batch<N: Clone + Send + Sync>(
    writer: &mut impl BatchWriter<N>,
    mut tasks: Vec<(CheckedTask, N)>,
    mut callers: Vec<Caller>,
) {
    let mut conflicting = Vec::new();
    while !tasks.is_empty() {
        let batch = Arc::new(tasks);
        match writer.write(batch.clone()).await {
            Ok(submitted) => {
                for (caller, submitted) in callers.into_iter().zip(submitted) {
                    let _ = caller.send(Ok(submitted));
                }
                break;
            }
            Err(StoreError::IdTaken(id)) => {
                let batch = Arc::unwrap_or_clone(batch).into_iter().zip(callers);
                let (taken, others): (Vec<_>, Vec<_>) =
                    batch.partition(|((task, _), _)| task.draft.id == id);
                conflicting.extend(taken);
                (tasks, callers) = others.into_iter().unzip();
            }
            Err(error) => {
                return fail(
                    callers.into_iter().chain(conflicting.into_iter().map(|it| it.1)),
                    &error,
                );
            }
        }
    }
    // One at a time, the task that matches the existing one succeeds and the others fail.
    for (task, caller) in conflicting {
        let written = writer.write(Arc::new(vec![task])).await;
        let first = |all: Vec<_>| all.into_iter().next().ok_or_else(StoreError::closed);
        let _ = caller.send(written.and_then(first));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use jiff::Timestamp;
    use tokio::sync::{Notify, Semaphore};

    use super::*;
    use crate::queue::submit::Policies;
    use crate::task::Task;

    /// Waits for a connection before each write, and counts what it writes.
    #[derive(Clone)]
    struct SlowWriter {
        waiting: Arc<Notify>,
        connections: Arc<Semaphore>,
        written: Arc<AtomicUsize>,
    }

    impl BatchWriter<()> for SlowWriter {
        const MAX_BATCH_TASKS: usize = 8;

        async fn prepare(&mut self) -> Result<()> {
            self.waiting.notify_one();
            self.connections.acquire().await.unwrap().forget();
            Ok(())
        }

        async fn write(&mut self, tasks: Arc<Vec<(CheckedTask, ())>>) -> Result<Vec<Submitted>> {
            self.written.fetch_add(tasks.len(), Ordering::Relaxed);
            Ok(tasks.iter().map(|(task, ())| Submitted::new(task.draft.id)).collect())
        }
    }

    fn checked() -> CheckedTask {
        let mut policies = Policies::new(&|_| None);
        CheckedTask::new(Task::new("a", &()), &mut policies, Timestamp::UNIX_EPOCH).unwrap()
    }

    /// D9: a caller that gives up while the writer waits for a connection may submit again under
    /// another id, so its task is not written.
    #[tokio::test]
    async fn task_of_a_caller_that_gave_up_is_not_written() {
        let writer = SlowWriter {
            waiting: Arc::default(),
            connections: Arc::new(Semaphore::new(0)),
            written: Arc::default(),
        };
        let batcher = SubmitBatcher::start(writer.clone());
        tokio::select! {
            _ = batcher.submit(checked(), ()) => panic!("written without a connection"),
            () = writer.waiting.notified() => {}
        }
        writer.connections.add_permits(2);
        batcher.submit(checked(), ()).await.unwrap();
        assert_eq!(writer.written.load(Ordering::Relaxed), 1);
    }
}
