//! The one writer, and group commit.
//!
//! SQLite lets one connection write at a time, and a commit that survives a power cut costs a
//! flush of the disk however little it writes. So every write goes through one task that owns
//! the one writing connection. It takes all that is waiting, runs each job in a savepoint of
//! its own within one transaction, and answers after the one commit: a hundred callers share
//! one flush, and none waits for a lock.
//!
//! A job that fails takes back its own writes and nobody else's. If the transaction itself
//! fails, every job of the group hears so, and the next group starts anew. A caller that has
//! gone away by the time of the commit has asked for nothing: its writes are taken back, so
//! that a claim that nobody waits for holds no tasks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::name_cache::Names;
use super::opened_file::OpenedFile;
use super::options::Options;
use crate::echo;
use crate::error::{Result, StoreError};
use crate::queue::cancel_guard::{Delivery, Unheard};

/// Takes the write lock, and answers with the time from then on.
const BEGIN: &str = concat!("BEGIN IMMEDIATE;", include_str!("sql/now.sql"));

/// How many jobs may wait. Whoever comes then waits to get in.
const WAITING: usize = 256;

/// How many jobs share a commit, so that the first of them is answered soon.
const GROUP: usize = 128;

/// What a job does with the connection, and when.
pub(super) type Doing<'c, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'c>>;

/// Hands writes to the task that makes them.
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
        names: Arc<Names>,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let file = File { connection: Some(connection), options, opened, names };
        tokio::spawn(file.serve(waiting));
        Self { jobs }
    }

    /// Runs a job, told the time of its transaction. Answers when it is committed.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> Doing<'c, T> + Send + 'static,
    {
        Ok(self.ask(work, |_| Unheard::NOTHING).await?.answer)
    }

    /// The same, with something to be done if the answer is not heard.
    pub(super) async fn ask<T, F, U>(&self, work: F, unheard: U) -> Result<Delivery<T>>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> Doing<'c, T> + Send + 'static,
        U: FnOnce(&T) -> Unheard + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let job = Asked { work: Some(work), unheard, outcome: None, caller };
        self.jobs.send(Box::new(job)).await.map_err(|_| StoreError::ended())?;
        answer.await.map_err(|_| StoreError::ended())?
    }
}

/// A job without its type.
trait Job: Send {
    /// Whether nobody waits for its answer any more.
    fn is_abandoned(&self) -> bool;
    /// Runs it; tells whether what it wrote is to be kept.
    fn run<'c>(&'c mut self, connection: &'c mut SqliteConnection, now: i64) -> Running<'c>;
    /// The database's error that it failed by, taken out of its answer.
    fn failure(&mut self) -> Option<sqlx::Error>;
    /// What it answered holds.
    fn committed(self: Box<Self>);
    /// What it wrote is not there.
    fn failed(self: Box<Self>, error: &Arc<sqlx::Error>);
}

type Running<'c> = Pin<Box<dyn Future<Output = bool> + Send + 'c>>;

struct Asked<T, F, U> {
    work: Option<F>,
    unheard: U,
    outcome: Option<Result<T>>,
    caller: oneshot::Sender<Result<Delivery<T>>>,
}

impl<T, F, U> Job for Asked<T, F, U>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> Doing<'c, T> + Send,
    U: FnOnce(&T) -> Unheard + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'c>(&'c mut self, connection: &'c mut SqliteConnection, now: i64) -> Running<'c> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return false;
            };
            let outcome = work(connection, now).await;
            if self.caller.is_closed() {
                return false;
            }
            let keeps = outcome.is_ok();
            self.outcome = Some(outcome);
            keeps
        })
    }

    fn failure(&mut self) -> Option<sqlx::Error> {
        self.outcome.take()?.err()?.into_database_error()
    }

    fn committed(self: Box<Self>) {
        let Self { unheard, outcome, caller, .. } = *self;
        if let Some(outcome) = outcome {
            let deliver = |answer| Delivery { unheard: unheard(&answer), answer };
            let _ = caller.send(outcome.map(deliver));
        }
    }

    fn failed(self: Box<Self>, error: &Arc<sqlx::Error>) {
        let outcome = match self.outcome {
            Some(Err(own)) => Err(own),
            _ => Err(echo::of(error).into()),
        };
        let _ = self.caller.send(outcome);
    }
}

/// The writing connection.
struct File {
    connection: Option<SqliteConnection>,
    options: Options,
    /// Nothing if the store is in memory.
    opened: Option<OpenedFile>,
    names: Arc<Names>,
}

impl File {
    async fn serve(mut self, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
        let mut group = Vec::with_capacity(GROUP);
        while waiting.recv_many(&mut group, GROUP).await > 0 {
            group.retain(|job| !job.is_abandoned());
            let written = match group.is_empty() {
                true => Ok(()),
                false => self.write(&mut group).await,
            };
            match written {
                Ok(()) => group.drain(..).for_each(Job::committed),
                Err(error) => {
                    self.names.forget();
                    self.take_back(&error).await;
                    let error = Arc::new(error);
                    group.drain(..).for_each(|job| job.failed(&error));
                }
            }
        }
        if let Some(connection) = self.connection {
            let _ = connection.close().await;
        }
    }

    /// Runs a group and commits it.
    async fn write(&mut self, group: &mut [Box<dyn Job>]) -> Result<(), sqlx::Error> {
        check(self.opened.as_ref())?;
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.options.writing_again().connect().await?),
        };
        let now = sqlx::query_scalar(BEGIN).fetch_one(&mut *connection).await?;
        if let [only] = group {
            if only.run(connection, now).await {
                return commit(connection, self.opened.as_ref()).await;
            }
            self.names.forget();
            return undo_all(connection).await;
        }
        run(connection, "SAVEPOINT job").await?;
        for job in group {
            if job.run(connection, now).await {
                run(connection, "RELEASE job; SAVEPOINT job").await?;
                continue;
            }
            self.names.forget();
            let undone = run(connection, "ROLLBACK TO job").await;
            // Some errors take the whole transaction back, and everybody's writes with it.
            undone.map_err(|lost| job.failure().unwrap_or(lost))?;
        }
        commit(connection, self.opened.as_ref()).await
    }

    /// Leaves a connection behind that the next group can use, or none.
    async fn take_back(&mut self, error: &sqlx::Error) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        let is_sound = error.as_database_error().is_some() && undo_all(connection).await.is_ok();
        if !is_sound && self.options.path().is_some() {
            self.connection = None;
        }
    }
}

fn check(opened: Option<&OpenedFile>) -> Result<(), sqlx::Error> {
    Ok(opened.map_or(Ok(()), OpenedFile::check)?)
}

/// Commits, if the file is still there: to begin may have taken a while.
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

/// Takes back the transaction, if SQLite has not done so already: it does after some errors,
/// a full disk among them.
async fn undo_all(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let undone = run(connection, "ROLLBACK").await;
    match undone {
        Err(sqlx::Error::Database(error)) if error.message().contains("no transaction") => Ok(()),
        other => other,
    }
}
