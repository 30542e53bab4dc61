//! Group commit of single submissions.
//!
//! A commit waits for the disk however little it writes, and the pool pings every connection that
//! is released. So tasks that are submitted one at a time go to one task, which writes all that
//! have arrived in one commit while the next ones gather. A task whose caller has gone away
//! before the write is not written.

use std::collections::VecDeque;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::options::PING_AFTER_IDLE;
use super::submit::{TaskNumbers, write};
use crate::engine::{PendingWakes, Submitted};
use crate::error::{Result, StoreError};
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;

/// The number of tasks that may wait for a commit; further callers wait to send theirs.
const QUEUE_CAPACITY: usize = 256;
/// The deadline of one commit, because every caller waits for it.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of tasks in one commit, so that the first is answered soon.
const MAX_BATCH_TASKS: usize = 128;

#[derive(Clone, Debug)]
pub(super) struct SubmitBatcher {
    tasks: mpsc::Sender<PendingSubmit>,
}

/// A task that waits for a commit, and its caller.
#[derive(Debug)]
struct PendingSubmit {
    task: CheckedTask,
    numbers: TaskNumbers,
    caller: oneshot::Sender<Result<(Submitted, PendingWakes)>>,
}

impl SubmitBatcher {
    /// Starts the task. It ends with the last handle.
    pub(super) fn start(pool: PgPool) -> Self {
        let (tasks, pending) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(run(pool, pending));
        Self { tasks }
    }

    /// Returns when the task is committed. Only its id may conflict: any other failure fails the
    /// whole batch.
    pub(super) async fn submit(
        &self,
        task: CheckedTask,
        numbers: TaskNumbers,
    ) -> Result<(Submitted, PendingWakes)> {
        let (caller, answer) = oneshot::channel();
        let pending = PendingSubmit { task, numbers, caller };
        self.tasks.send(pending).await.map_err(|_| StoreError::closed())?;
        answer.await.map_err(|_| StoreError::closed())?
    }
}

async fn run(pool: PgPool, mut pending: mpsc::Receiver<PendingSubmit>) {
    let mut batch = Vec::with_capacity(MAX_BATCH_TASKS);
    while pending.recv_many(&mut batch, MAX_BATCH_TASKS).await > 0 {
        match pool.acquire().await {
            Ok(connection) => write_batches(connection, &mut batch, &mut pending).await,
            Err(error) => fail_all(&mut batch, error.into()),
        }
    }
}

/// Writes one batch after another, until no task has arrived for a while.
async fn write_batches(
    mut connection: PoolConnection<Postgres>,
    batch: &mut Vec<PendingSubmit>,
    pending: &mut mpsc::Receiver<PendingSubmit>,
) {
    while !batch.is_empty() {
        let error = match timeout(COMMIT_TIMEOUT, write_batch(&mut connection, batch)).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error),
            Err(_) => Some(StoreError::timed_out()),
        };
        if let Some(error) = error {
            // A statement may still be in flight on it.
            connection.close_on_drop();
            return fail_all(batch, error);
        }
        let _ = timeout(PING_AFTER_IDLE, pending.recv_many(batch, MAX_BATCH_TASKS)).await;
    }
}

async fn write_batch(
    connection: &mut PoolConnection<Postgres>,
    batch: &mut Vec<PendingSubmit>,
) -> Result<()> {
    batch.retain(|pending| !pending.caller.is_closed());
    let mut conflicting = VecDeque::new();
    while let Some(id) = write_all(connection, batch).await? {
        conflicting.extend(batch.extract_if(.., |pending| pending.task.draft.id == id));
    }
    // One at a time, the task that matches the existing one succeeds and the others fail.
    while let Some(pending) = conflicting.pop_front() {
        batch.push(pending);
        match write_all(connection, batch).await {
            Ok(None) => {}
            Ok(Some(id)) => answer_all(batch, || Err(StoreError::IdTaken(id))),
            Err(error) => {
                batch.extend(conflicting);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Writes a batch and answers its callers, or returns an id that belongs to another task.
async fn write_all(
    connection: &mut PoolConnection<Postgres>,
    batch: &mut Vec<PendingSubmit>,
) -> Result<Option<TaskId>> {
    let (tasks, numbers): (Vec<_>, Vec<_>) =
        batch.iter().map(|pending| (&pending.task, pending.numbers)).unzip();
    let (submitted, wakes) = match write(connection, &tasks, &numbers).await {
        Ok(written) => written,
        Err(StoreError::IdTaken(id)) => return Ok(Some(id)),
        Err(error) => return Err(error),
    };
    for (pending, submitted) in batch.drain(..).zip(submitted) {
        let _ = pending.caller.send(Ok((submitted, wakes)));
    }
    Ok(None)
}

fn answer_all(
    batch: &mut Vec<PendingSubmit>,
    answer: impl Fn() -> Result<(Submitted, PendingWakes)>,
) {
    for pending in batch.drain(..) {
        let _ = pending.caller.send(answer());
    }
}

fn fail_all(batch: &mut Vec<PendingSubmit>, error: StoreError) {
    let error = error.into_shared();
    answer_all(batch, || Err(error.clone().into()));
}
