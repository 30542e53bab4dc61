//! Single submissions, written together.
//!
//! The [writer](super::writer) shares a commit among all who wait, but each of their jobs is a few
//! statements, and every statement goes to the connection's thread and back. Tasks that are
//! submitted one by one need no statements of their own: whoever submits one leaves it here, and
//! all that lie here are one job. While it is written, the next ones gather.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::name_cache::Names;
use super::pending_wakes::News;
use super::submit;
use super::writer::Writer;
use crate::echo;
use crate::engine::Submitted;
use crate::error::{Result, StoreError};
use crate::events::notifier::Wakes;
use crate::queue::submit::Admission;

/// How many tasks may wait. Whoever comes then waits to get in.
const WAITING: usize = 256;
/// How many are one job, so that the first of them is answered soon.
const GROUP: usize = 256;

/// Where single tasks are left.
#[derive(Clone, Debug)]
pub(super) struct Desk {
    tasks: mpsc::Sender<Left>,
}

/// A task that was left here, and who waits for it.
#[derive(Debug)]
struct Left {
    task: Admission,
    caller: oneshot::Sender<Result<Submitted>>,
}

impl Desk {
    /// Ends with its last handle.
    pub(super) fn open(writer: Writer, names: Arc<Names>, wakes: Wakes) -> Self {
        let (tasks, waiting) = mpsc::channel(WAITING);
        tokio::spawn(Clerk { writer, names, wakes }.serve(waiting));
        Self { tasks }
    }

    /// Answers when the task is committed. It must be one that nothing but its id can be in the way
    /// of: any other failure here is everybody's.
    pub(super) async fn submit(&self, task: Admission) -> Result<Submitted> {
        let (caller, answer) = oneshot::channel();
        self.tasks.send(Left { task, caller }).await.map_err(|_| StoreError::ended())?;
        answer.await.map_err(|_| StoreError::ended())?
    }
}

struct Clerk {
    writer: Writer,
    names: Arc<Names>,
    wakes: Wakes,
}

impl Clerk {
    async fn serve(self, mut waiting: mpsc::Receiver<Left>) {
        let mut group = Vec::with_capacity(GROUP);
        while waiting.recv_many(&mut group, GROUP).await > 0 {
            let wanted = group.drain(..).filter(|left| !left.caller.is_closed());
            let (tasks, callers) = wanted.map(|left| (left.task, left.caller)).unzip();
            self.write_group(Arc::new(tasks), callers).await;
        }
    }

    async fn write_group(
        &self,
        mut tasks: Arc<Vec<Admission>>,
        mut callers: Vec<oneshot::Sender<Result<Submitted>>>,
    ) {
        let mut alone = Vec::new();
        loop {
            match self.write(tasks.clone()).await {
                Ok((submitted, news)) => {
                    news.tell(&self.wakes);
                    for (caller, submitted) in callers.into_iter().zip(submitted) {
                        let _ = caller.send(Ok(submitted));
                    }
                    break;
                }
                Err(StoreError::IdTaken(id)) => {
                    let group = Arc::unwrap_or_clone(tasks).into_iter().zip(callers);
                    let (theirs, others): (Vec<_>, Vec<_>) =
                        group.partition(|(task, _)| task.draft.id == id);
                    alone.extend(theirs);
                    let (left, waiting) = others.into_iter().unzip();
                    (tasks, callers) = (Arc::new(left), waiting);
                }
                Err(error) => {
                    refuse(callers, error);
                    break;
                }
            }
        }
        // One by one it is seen whose work is there, and whose is other work under the same id.
        for (task, caller) in alone {
            let _ = caller.send(self.write_one(task).await);
        }
    }

    async fn write_one(&self, task: Admission) -> Result<Submitted> {
        let (submitted, news) = self.write(Arc::new(vec![task])).await?;
        news.tell(&self.wakes);
        submitted.into_iter().next().ok_or_else(StoreError::ended)
    }

    async fn write(&self, tasks: Arc<Vec<Admission>>) -> Result<(Vec<Submitted>, News)> {
        if tasks.is_empty() {
            return Ok((Vec::new(), News::default()));
        }
        let names = self.names.clone();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { submit::write(connection, &tasks, now, &names).await })
        });
        written.await
    }
}

fn refuse(callers: Vec<oneshot::Sender<Result<Submitted>>>, error: StoreError) {
    let words = error.to_string();
    let error = error.into_database_error().unwrap_or(sqlx::Error::Protocol(words));
    let error = Arc::new(error);
    for caller in callers {
        let _ = caller.send(Err(echo::of(&error).into()));
    }
}
