//! The single writer, with group commit.
//!
//! SQLite lets one connection write at a time, and a durable commit flushes the disk however
//! little it writes. So every write goes through one task that owns the writing connection. It
//! takes all waiting jobs, runs each in its own savepoint within one transaction, and answers
//! after the commit: a hundred callers share one flush, and none waits for a lock.
//!
//! A job that fails rolls back its own writes only. If the transaction fails, every job of the
//! group fails with the same error, and the next group starts a new transaction. The writes of a
//! caller that has gone away before the commit are rolled back, so that a cancelled claim holds no
//! tasks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::name_cache::NameCache;
use super::opened_file::OpenedFile;
use super::options::Options;
use super::select_now;
use crate::error::{Result, StoreError};
use crate::queue::cancel_guard::{CancelGuard, Guarded};

/// Takes the write lock, and returns the time of the transaction.
const BEGIN: &str = concat!("BEGIN IMMEDIATE;", select_now!());

/// The number of jobs that may wait; further callers wait to send theirs.
const QUEUE_CAPACITY: usize = 256;

/// The number of jobs in one commit, so that the first is answered soon.
const MAX_GROUP_JOBS: usize = 128;

/// The work of a job on a connection.
pub(super) type JobFuture<'c, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'c>>;

/// Sends jobs to the writing task.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Box<dyn Job>>,
}

impl Writer {
    /// Starts the task. It ends after the last job of the last handle.
    pub(super) fn start(
        connection: SqliteConnection,
        options: Options,
        opened: Option<OpenedFile>,
        names: Arc<NameCache>,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE_CAPACITY);
        let file = File { connection: Some(connection), options, opened, names };
        tokio::spawn(file.run(waiting));
        Self { jobs }
    }

    /// Runs a job with the time of its transaction. Returns after the commit.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> JobFuture<'c, T> + Send + 'static,
    {
        Ok(self.run_guarded(work, |_| CancelGuard::NONE).await?.answer)
    }

    /// The same, with a guard that runs if the caller goes away after the commit.
    pub(super) async fn run_guarded<T, F, G>(&self, work: F, guard: G) -> Result<Guarded<T>>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> JobFuture<'c, T> + Send + 'static,
        G: FnOnce(&T) -> CancelGuard + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let job = CallerJob { work: Some(work), guard, outcome: None, caller };
        self.jobs.send(Box::new(job)).await.map_err(|_| StoreError::closed())?;
        answer.await.map_err(|_| StoreError::closed())?
    }
}

/// A job of any type.
trait Job: Send {
    /// Whether its caller has gone away.
    fn is_abandoned(&self) -> bool;
    /// Runs it, and returns whether to commit its writes.
    fn run<'c>(&'c mut self, connection: &'c mut SqliteConnection, now: i64) -> RunFuture<'c>;
    /// The database error that it failed with, taken out of its outcome.
    fn take_error(&mut self) -> Option<Arc<sqlx::Error>>;
    /// Answers after the commit.
    fn committed(self: Box<Self>);
    /// Answers after a rollback.
    fn failed(self: Box<Self>, error: &Arc<sqlx::Error>);
}

type RunFuture<'c> = Pin<Box<dyn Future<Output = bool> + Send + 'c>>;

struct CallerJob<T, F, G> {
    work: Option<F>,
    guard: G,
    outcome: Option<Result<T>>,
    caller: oneshot::Sender<Result<Guarded<T>>>,
}

impl<T, F, G> Job for CallerJob<T, F, G>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> JobFuture<'c, T> + Send,
    G: FnOnce(&T) -> CancelGuard + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'c>(&'c mut self, connection: &'c mut SqliteConnection, now: i64) -> RunFuture<'c> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return false;
            };
            let outcome = work(connection, now).await;
            if self.caller.is_closed() {
                return false;
            }
            let commits = outcome.is_ok();
            self.outcome = Some(outcome);
            commits
        })
    }

    fn take_error(&mut self) -> Option<Arc<sqlx::Error>> {
        self.outcome.take()?.err()?.into_database_error()
    }

    fn committed(self: Box<Self>) {
        let Self { guard, outcome, caller, .. } = *self;
        if let Some(outcome) = outcome {
            let guarded = |answer| Guarded { guard: guard(&answer), answer };
            let _ = caller.send(outcome.map(guarded));
        }
    }

    fn failed(self: Box<Self>, error: &Arc<sqlx::Error>) {
        let outcome = match self.outcome {
            Some(Err(own)) => Err(own),
            _ => Err(error.clone().into()),
        };
        let _ = self.caller.send(outcome);
    }
}

/// The writing connection.
struct File {
    connection: Option<SqliteConnection>,
    options: Options,
    /// `None` in memory.
    opened: Option<OpenedFile>,
    names: Arc<NameCache>,
}

impl File {
    async fn run(mut self, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
        let mut group = Vec::with_capacity(MAX_GROUP_JOBS);
        while waiting.recv_many(&mut group, MAX_GROUP_JOBS).await > 0 {
            group.retain(|job| !job.is_abandoned());
            let written = match group.is_empty() {
                true => Ok(()),
                false => self.write(&mut group).await,
            };
            match written {
                Ok(()) => group.drain(..).for_each(Job::committed),
                Err(error) => {
                    self.names.clear();
                    self.roll_back(&error).await;
                    group.drain(..).for_each(|job| job.failed(&error));
                }
            }
        }
        if let Some(connection) = self.connection {
            let _ = connection.close().await;
        }
    }

    /// Runs a group and commits it.
    async fn write(&mut self, group: &mut [Box<dyn Job>]) -> Result<(), Arc<sqlx::Error>> {
        check(self.opened.as_ref())?;
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.options.writing_again().connect().await?),
        };
        let now = sqlx::query_scalar(BEGIN).fetch_one(&mut *connection).await?;
        if let [only] = group {
            if only.run(connection, now).await {
                return Ok(commit(connection, self.opened.as_ref()).await?);
            }
            self.names.clear();
            return Ok(undo_all(connection).await?);
        }
        run(connection, "SAVEPOINT job").await?;
        for job in group {
            if job.run(connection, now).await {
                run(connection, "RELEASE job; SAVEPOINT job").await?;
                continue;
            }
            self.names.clear();
            let undone = run(connection, "ROLLBACK TO job").await;
            // Some errors roll back the whole transaction, with the writes of every job.
            undone.map_err(|error| job.take_error().unwrap_or_else(|| Arc::new(error)))?;
        }
        Ok(commit(connection, self.opened.as_ref()).await?)
    }

    /// Rolls back, and closes the connection if that fails.
    async fn roll_back(&mut self, error: &sqlx::Error) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        let is_usable = error.as_database_error().is_some() && undo_all(connection).await.is_ok();
        if !is_usable && self.options.path().is_some() {
            self.connection = None;
        }
    }
}

fn check(opened: Option<&OpenedFile>) -> Result<(), sqlx::Error> {
    Ok(opened.map_or(Ok(()), OpenedFile::check)?)
}

/// Commits if the file still has its name, because BEGIN may have waited.
async fn commit(
    connection: &mut SqliteConnection,
    opened: Option<&OpenedFile>,
) -> Result<(), sqlx::Error> {
    check(opened)?;
    run(connection, "COMMIT").await
}

async fn run(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(sql).execute(connection).await?;
    Ok(())
}

/// Rolls back the transaction, unless SQLite has already done so, as after a full disk.
async fn undo_all(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let undone = run(connection, "ROLLBACK").await;
    match undone {
        Err(sqlx::Error::Database(error)) if error.message().contains("no transaction") => Ok(()),
        other => other,
    }
}
