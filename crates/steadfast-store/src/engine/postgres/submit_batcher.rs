//! Single submissions, written together.
//!
//! A commit waits for the disk however little it writes, and a pool asks every connection that
//! comes back whether it is well. So whoever submits one task leaves it here: one connection
//! writes all that lies here, and while it does so the next ones gather. A caller that has gone
//! away before its task is written has asked for nothing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::FRESH;
use super::submit::{Numbers, Written, write};
use crate::echo;
use crate::engine::Submitted;
use crate::error::{Result, StoreError};
use crate::queue::submit::Admission;
use crate::task::TaskId;

/// How many tasks may wait. Whoever comes then waits to get in.
const WAITING: usize = 256;
/// How long one commit may take: whoever waits for a server that is gone keeps all others
/// waiting.
const LONGEST: Duration = Duration::from_secs(10);
/// How many share a commit, so that the first of them is answered soon.
const GROUP: usize = 128;

#[derive(Clone, Debug)]
pub(super) struct Desk {
    tasks: mpsc::Sender<Left>,
}

/// A task that was left here, and who waits for it.
#[derive(Debug)]
struct Left {
    task: Admission,
    numbers: Numbers,
    caller: oneshot::Sender<Result<(Submitted, Written)>>,
}

impl Desk {
    /// Ends with its last handle.
    pub(super) fn open(pool: PgPool) -> Self {
        let (tasks, waiting) = mpsc::channel(WAITING);
        tokio::spawn(serve(pool, waiting));
        Self { tasks }
    }

    /// Answers when the task is committed. It must be one that nothing but its id can be in the way
    /// of: any other failure here is everybody's.
    pub(super) async fn submit(
        &self,
        task: Admission,
        numbers: Numbers,
    ) -> Result<(Submitted, Written)> {
        let (caller, answer) = oneshot::channel();
        self.tasks.send(Left { task, numbers, caller }).await.map_err(|_| StoreError::ended())?;
        answer.await.map_err(|_| StoreError::ended())?
    }
}

async fn serve(pool: PgPool, mut waiting: mpsc::Receiver<Left>) {
    let mut group = Vec::with_capacity(GROUP);
    while waiting.recv_many(&mut group, GROUP).await > 0 {
        match pool.acquire().await {
            Ok(connection) => write_on(connection, &mut group, &mut waiting).await,
            Err(error) => refuse(&mut group, error.into()),
        }
    }
}

/// Writes one group after another, until nobody has come for a while.
async fn write_on(
    mut connection: PoolConnection<Postgres>,
    group: &mut Vec<Left>,
    waiting: &mut mpsc::Receiver<Left>,
) {
    while !group.is_empty() {
        let error = match timeout(LONGEST, write_group(&mut connection, group)).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error),
            Err(_) => Some(StoreError::no_answer()),
        };
        if let Some(error) = error {
            // What is still under way on it is not waited for.
            connection.close_on_drop();
            return refuse(group, error);
        }
        let _ = timeout(FRESH, waiting.recv_many(group, GROUP)).await;
    }
}

async fn write_group(
    connection: &mut PoolConnection<Postgres>,
    group: &mut Vec<Left>,
) -> Result<()> {
    group.retain(|left| !left.caller.is_closed());
    let mut alone = VecDeque::new();
    while let Some(id) = write_all(connection, group).await? {
        alone.extend(group.extract_if(.., |left| left.task.draft.id == id));
    }
    // One by one it is seen whose work is there, and whose is other work under the same id.
    while let Some(left) = alone.pop_front() {
        group.push(left);
        match write_all(connection, group).await {
            Ok(None) => {}
            Ok(Some(id)) => tell_all(group, || Err(StoreError::IdTaken(id))),
            Err(error) => {
                group.extend(alone);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Writes a group and answers all who are in it; or, if an id among them belongs to other work,
/// tells which.
async fn write_all(
    connection: &mut PoolConnection<Postgres>,
    group: &mut Vec<Left>,
) -> Result<Option<TaskId>> {
    let (tasks, numbers): (Vec<_>, Vec<_>) =
        group.iter().map(|left| (&left.task, left.numbers)).unzip();
    let (submitted, written) = match write(connection, &tasks, &numbers).await {
        Ok(written) => written,
        Err(StoreError::IdTaken(id)) => return Ok(Some(id)),
        Err(error) => return Err(error),
    };
    for (left, submitted) in group.drain(..).zip(submitted) {
        let _ = left.caller.send(Ok((submitted, written)));
    }
    Ok(None)
}

fn tell_all(group: &mut Vec<Left>, answer: impl Fn() -> Result<(Submitted, Written)>) {
    for left in group.drain(..) {
        let _ = left.caller.send(answer());
    }
}

fn refuse(group: &mut Vec<Left>, error: StoreError) {
    let words = error.to_string();
    let error = error.into_database_error().unwrap_or(sqlx::Error::Protocol(words));
    let error = Arc::new(error);
    tell_all(group, || Err(echo::of(&error).into()));
}
