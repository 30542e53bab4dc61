//! The single writer, with group commit. Only SQLite needs one.
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
use tokio::sync::{Mutex, mpsc, oneshot};

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

/// The writing connection; `None` until it is opened again after an error. In memory it is the only
/// one, so reads share it.
pub(super) type SharedConnection = Arc<Mutex<Option<SqliteConnection>>>;

/// A job for [`Writer::run`]: an async block over a connection and the time of its transaction.
macro_rules! job {
    (|$connection:ident, $now:ident| $work:expr) => {
        $crate::engine::sqlite::writer::typed_job(move |$connection, $now| {
            Box::pin(async move { $work })
        })
    };
}
pub(super) use job;

/// Gives a closure the type of a job.
pub(super) fn typed_job<T, F>(work: F) -> F
where
    F: for<'c> FnOnce(&'c mut SqliteConnection, i64) -> JobFuture<'c, T>,
{
    work
}

#[derive(Clone, Debug)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Box<dyn Job>>,
}

impl Writer {
    /// Starts the task. It ends after the last job of the last handle.
    pub(super) fn start(
        connection: SharedConnection,
        options: Options,
        opened: Option<OpenedFile>,
        names: Arc<NameCache>,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE_CAPACITY);
        let file = File { connection, options, opened, names };
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
        self.outcome.take()?.err()?.database_error().cloned()
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

/// The file, and the connection that writes it.
struct File {
    connection: SharedConnection,
    options: Options,
    /// `None` in memory.
    opened: Option<OpenedFile>,
    names: Arc<NameCache>,
}

impl File {
    async fn run(self, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
        let mut group = Vec::with_capacity(MAX_GROUP_JOBS);
        while waiting.recv_many(&mut group, MAX_GROUP_JOBS).await > 0 {
            group.retain(|job| !job.is_abandoned());
            if group.is_empty() {
                continue;
            }
            let mut connection = self.connection.lock().await;
            match self.write(&mut connection, &mut group).await {
                Ok(()) => group.drain(..).for_each(Job::committed),
                Err(error) => {
                    self.names.clear();
                    self.roll_back(&mut connection, &error).await;
                    group.drain(..).for_each(|job| job.failed(&error));
                }
            }
        }
        if let Some(connection) = self.connection.lock().await.take() {
            let _ = connection.close().await;
        }
    }

    /// Runs a group and commits it.
    async fn write(
        &self,
        connection: &mut Option<SqliteConnection>,
        group: &mut [Box<dyn Job>],
    ) -> Result<(), Arc<sqlx::Error>> {
        check(self.opened.as_ref())?;
        let connection = match connection {
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
    async fn roll_back(&self, connection: &mut Option<SqliteConnection>, error: &sqlx::Error) {
        let Some(open) = connection else {
            return;
        };
        let is_usable = error.as_database_error().is_some() && undo_all(open).await.is_ok();
        if !is_usable && self.options.path().is_some() {
            *connection = None;
        }
    }
}

fn check(opened: Option<&OpenedFile>) -> Result<(), sqlx::Error> {
    Ok(opened.map_or(Ok(()), OpenedFile::check)?)
}

/// Commits if the path still names the file: it may have been replaced while BEGIN waited.
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

#[cfg(test)]
mod tests {
    //! A full disk, simulated on the writing connection (K4).

    use super::super::Sqlite;
    use super::*;
    use crate::{Store, Task};

    struct Disk {
        engine: Arc<Sqlite>,
        store: Store,
        _directory: tempfile::TempDir,
    }

    impl Disk {
        async fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let url = format!("sqlite:{}", directory.path().join("tasks.db").display());
            let engine = Arc::new(Sqlite::open(&url).await.unwrap());
            Self { store: Store::with_engine(engine.clone()), engine, _directory: directory }
        }

        /// Limits the file to this many more pages.
        async fn limit_growth(&self, pages: i64) {
            let limit = job!(|connection, _now| {
                let count = sqlx::query_scalar::<_, i64>("PRAGMA page_count");
                let count = count.fetch_one(&mut *connection).await?;
                let limit = format!("PRAGMA max_page_count = {}", count + pages);
                sqlx::query(sqlx::AssertSqlSafe(limit)).execute(connection).await?;
                Ok(())
            });
            self.engine.writer.run(limit).await.unwrap();
        }

        async fn pending(&self) -> u64 {
            self.store.stats().await.unwrap().pending
        }
    }

    /// A task as large as a page.
    fn large() -> Task {
        Task::new("keep", &"x".repeat(4096))
    }

    /// K4: a full disk is reported, loses no task, and recovers once there is space.
    #[tokio::test]
    async fn full_disk_is_reported_and_recovers_without_reopening() {
        let disk = Disk::new().await;
        disk.limit_growth(20).await;
        let mut submitted = 0;
        let error = loop {
            match disk.store.submit(large()).await {
                Ok(_) => submitted += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::Full(_)), "{error}");
        assert!(error.is_transient());
        assert!(submitted > 0);
        assert_eq!(disk.pending().await, submitted);
        disk.limit_growth(100).await;
        disk.store.submit(large()).await.unwrap();
        assert_eq!(disk.pending().await, submitted + 1);
    }

    /// K4: every acknowledged task is there, even if the disk filled up in its group.
    #[tokio::test]
    async fn disk_full_within_a_group_loses_no_acknowledged_task() {
        let disk = Disk::new().await;
        disk.limit_growth(20).await;
        let submit = |_| {
            let store = disk.store.clone();
            tokio::spawn(async move { store.submit(large()).await })
        };
        let submitting: Vec<_> = (0..50).map(submit).collect();
        let mut submitted = 0;
        for submitting in submitting {
            match submitting.await.unwrap() {
                Ok(_) => submitted += 1,
                Err(error) => assert!(matches!(error, StoreError::Full(_)), "{error}"),
            }
        }
        assert!(submitted < 50);
        assert_eq!(disk.pending().await, submitted);
        disk.limit_growth(100).await;
        disk.store.submit(large()).await.unwrap();
        assert_eq!(disk.pending().await, submitted + 1);
    }
}
