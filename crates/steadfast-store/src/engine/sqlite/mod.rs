//! A store in one SQLite file.
//!
//! For one machine this is all that is needed: nothing to install, nothing to run, and a file
//! that can be copied. Any number of processes may share it; within each, [writes](writer) go
//! through one connection and looks through a few others, and neither waits for the other.
//!
//! Every statement is a file of its own in `sql/`, named after what it does; a file in this
//! folder is one part of the engine and holds the statements that it runs.

mod activity;
mod audit;
mod breakers;
mod claim;
mod compress;
mod control;
mod count;
mod engine;
mod filter;
pub(crate) mod health;
mod history;
mod inspect;
mod lease;
mod list;
mod migrate;
mod name_cache;
mod opened_file;
mod options;
mod pending_wakes;
mod promote;
mod prune;
mod read;
mod reports;
mod requeue;
mod rollup;
mod row;
mod settle;
mod submit;
mod submit_batcher;
#[cfg(test)]
mod tests;
mod transitions;
mod worker_status;
mod workflows;
mod writer;

use std::fmt;
use std::sync::Arc;

use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{ConnectOptions, SqliteConnection, SqlitePool};
use steadfast::Policy;

pub(crate) use self::inspect::{inspect, migrate};
use self::name_cache::Names;
use self::opened_file::OpenedFile;
use self::options::Options;
use self::submit_batcher::Desk;
use self::writer::{Doing, Writer};
use crate::error::{Result, StoreError};
use crate::events::notifier::Wakes;
use crate::task::TaskId;
use crate::task::policy_snapshot;

const NOW: &str = include_str!("sql/now.sql");
const POLICY_BODY: &str = include_str!("sql/policy_body.sql");

/// How many look at the same time.
const READERS: u32 = 4;

/// Keeps tasks in an SQLite file, or in memory (D1).
///
/// ```
/// use std::sync::Arc;
/// use steadfast_store::{Sqlite, Store, Task};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_store::StoreError> {
/// let store = Store::on(Arc::new(Sqlite::open("sqlite::memory:").await?));
/// let task = store.submit(Task::new("send-invoice", &42)).await?;
/// assert_eq!(store.task(task.id).await?.payload, 42);
/// # Ok(())
/// # }
/// ```
pub struct Sqlite {
    writer: Writer,
    desk: Desk,
    /// Nothing if the store is in memory: there is one connection to it, the writer's.
    readers: Option<Readers>,
    names: Arc<Names>,
    wakes: Wakes,
}

/// Who looks at a file.
struct Readers {
    pool: SqlitePool,
    file: OpenedFile,
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Opens a store, which is made if it is not there: `sqlite:PATH` or `sqlite::memory:`.
    ///
    /// A task that was submitted survives a power cut. `sqlite:PATH?synchronous=normal` takes
    /// the risk that a power cut (not a crash of the program) takes the last moments back, and
    /// flushes the disk less. `busy_timeout=10s` says how long another process may hold the
    /// file before a write fails; 5 s unless said.
    ///
    /// The file may be one that the program keeps other things in: every table has a name that
    /// starts with `steadfast_`. It is put into write-ahead mode.
    ///
    /// The store lives in the runtime that it was opened in.
    ///
    /// # Errors
    /// The URL makes no sense, the file cannot be opened, it is no database, it was written by
    /// a newer version of this program, or another process did not let go of it.
    pub async fn open(url: &str) -> Result<Self> {
        let options = Options::parse(url)?;
        Self::open_with(&options).await.map_err(|error| options.explain(error))
    }

    async fn open_with(options: &Options) -> Result<Self> {
        let names = Arc::new(Names::default());
        let (connection, readers) = match options.path() {
            Some(path) => {
                migrate::prepare(options).await?;
                let connection = options.writing().connect().await?;
                // A connection to a file does not break as one to a server does.
                let pool = SqlitePoolOptions::new().max_connections(READERS);
                let pool = pool.test_before_acquire(false).connect_lazy_with(options.looking());
                let file = OpenedFile::at(path).map_err(sqlx::Error::Io)?;
                (connection, Some(Readers { pool, file }))
            }
            None => {
                let mut connection = options.writing().connect().await?;
                migrate::migrate(&mut connection).await?;
                (connection, None)
            }
        };
        let file = readers.as_ref().map(|readers| readers.file.clone());
        let writer = Writer::start(connection, options.clone(), file, names.clone());
        let wakes = Wakes::default();
        let desk = Desk::open(writer.clone(), names.clone(), wakes.clone());
        Ok(Self { writer, desk, readers, names, wakes })
    }

    /// Looks at what is committed.
    async fn look<T, F>(&self, look: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> Doing<'c, T> + Send + 'static,
    {
        match &self.readers {
            Some(Readers { pool, file }) => {
                file.check().map_err(sqlx::Error::Io)?;
                look(&mut *pool.acquire().await?).await
            }
            None => self.writer.run(|connection, _| look(connection)).await,
        }
    }

    /// The policy of a number, which a task has.
    async fn policy(&self, number: i64, task: TaskId) -> Result<Arc<Policy>> {
        if let Some(policy) = self.names.policy(number) {
            return Ok(policy);
        }
        let body = self.look(move |connection| {
            let body = sqlx::query_scalar(POLICY_BODY).bind(number);
            Box::pin(async move { Ok(body.fetch_optional(connection).await?) })
        });
        let body: Option<String> = body.await?;
        let damaged = |problem: String| StoreError::Damaged { id: task, problem };
        let body = body.ok_or_else(|| damaged("its policy is not there any more".to_owned()))?;
        let policy = policy_snapshot::read(&body)
            .map_err(|error| damaged(format!("its policy cannot be read: {error}")))?;
        let policy = Arc::new(policy);
        self.names.learn_policy(number, Arc::clone(&policy), body.len());
        Ok(policy)
    }
}

async fn now(connection: &mut SqliteConnection) -> Result<i64> {
    Ok(sqlx::query_scalar(NOW).fetch_one(connection).await?)
}
