//! The SQLite engine: a store in one file.
//!
//! For one machine this is all that is needed: nothing to install, nothing to run, and a file
//! that can be copied. Any number of processes may share it; within each, [writes](writer) go
//! through one connection and reads through a few others, and neither waits for the other.
//!
//! Statements of more than three lines, and those whose plans are tested, are in `sql/`, named
//! after the operation.

mod activity;
mod audit;
mod candidates;
mod claim;
mod compress;
mod control;
mod count;
mod filter;
pub(crate) mod health;
mod history;
mod inspect;
mod lease;
mod list;
mod maintain;
mod migrate;
mod name_cache;
mod opened_file;
mod options;
mod promote;
mod prune;
mod read;
mod reclaim;
mod records;
mod report;
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
use self::name_cache::NameCache;
use self::opened_file::OpenedFile;
use self::options::Options;
use self::submit_batcher::SubmitBatcher;
use self::writer::{JobFuture, Writer};
use crate::engine::{Engine, PendingWakes};
use crate::error::{Result, StoreError};
use crate::events::notifier::Notifier;
use crate::task::{TaskId, policy_snapshot};

/// The database's time in microseconds.
macro_rules! select_now {
    () => {
        "SELECT CAST(round(unixepoch('subsec') * 1000000) AS INTEGER)"
    };
}
use select_now;

/// The number of concurrent readers.
const MAX_READERS: u32 = 4;

/// An engine on an SQLite file, or in memory (D1).
///
/// ```
/// use std::sync::Arc;
/// use steadfast_store::{Sqlite, Store, Task};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_store::StoreError> {
/// let store = Store::with_engine(Arc::new(Sqlite::open("sqlite::memory:").await?));
/// let task = store.submit(Task::new("send-invoice", &42)).await?;
/// assert_eq!(store.task(task.id).await?.payload, 42);
/// # Ok(())
/// # }
/// ```
pub struct Sqlite {
    writer: Writer,
    submit_batcher: SubmitBatcher,
    /// `None` in memory, where the writer has the only connection.
    readers: Option<Readers>,
    names: Arc<NameCache>,
    notifier: Notifier,
}

/// The reading connections to a file.
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
    /// Opens or creates a store: `sqlite:PATH` or `sqlite::memory:`.
    ///
    /// A submitted task survives a power cut. `sqlite:PATH?synchronous=normal` flushes the disk
    /// less, and a power cut (not a crash of the program) may lose the last commits.
    /// `busy_timeout=10s` sets how long another process may lock the file before a write fails;
    /// the default is 5 s.
    ///
    /// The file may contain other tables: every table of the store has the prefix `steadfast_`.
    /// The file is switched to write-ahead logging.
    ///
    /// The engine runs in the runtime that opened it.
    ///
    /// # Errors
    /// The URL is invalid, the file cannot be opened, it is not a database, a newer version of
    /// this program has migrated it, or another process keeps it locked.
    pub async fn open(url: &str) -> Result<Self> {
        let options = Options::parse(url)?;
        Self::open_with(&options).await.map_err(|error| options.explain(error))
    }

    async fn open_with(options: &Options) -> Result<Self> {
        let names = Arc::new(NameCache::default());
        let (connection, readers) = match options.path() {
            Some(path) => {
                migrate::prepare(options).await?;
                let connection = options.writing().connect().await?;
                // A connection to a file does not break as one to a server does.
                let pool = SqlitePoolOptions::new().max_connections(MAX_READERS);
                let pool = pool.test_before_acquire(false).connect_lazy_with(options.reading());
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
        let notifier = Notifier::default();
        let submit_batcher = SubmitBatcher::start(writer.clone(), names.clone(), notifier.clone());
        Ok(Self { writer, submit_batcher, readers, names, notifier })
    }

    /// Reads what is committed.
    async fn read<T, F>(&self, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> JobFuture<'c, T> + Send + 'static,
    {
        match &self.readers {
            Some(Readers { pool, file }) => {
                file.check().map_err(sqlx::Error::Io)?;
                read(&mut *pool.acquire().await?).await
            }
            None => self.writer.run(|connection, _| read(connection)).await,
        }
    }

    /// The policy with this number, which the task uses.
    async fn policy(&self, number: i64, task: TaskId) -> Result<Arc<Policy>> {
        if let Some(policy) = self.names.policy(number) {
            return Ok(policy);
        }
        let body = self.read(move |connection| {
            let body = sqlx::query_scalar("SELECT body FROM steadfast_policies WHERE number = ?1");
            let body = body.bind(number);
            Box::pin(async move { Ok(body.fetch_optional(connection).await?) })
        });
        let body: Option<String> = body.await?;
        let decode_error = |problem: String| StoreError::Decode { id: task, problem };
        let body = body.ok_or_else(|| decode_error("its policy does not exist".to_owned()))?;
        let policy = policy_snapshot::read(&body)
            .map_err(|error| decode_error(format!("cannot decode its policy: {error}")))?;
        let policy = Arc::new(policy);
        self.names.insert_policy(number, Arc::clone(&policy), body.len());
        Ok(policy)
    }

    fn notify_all(&self, wakes: PendingWakes) {
        wakes.wakes().for_each(|wake| self.notifier.notify(wake));
    }
}

impl Engine for Sqlite {
    fn notifier(&self) -> &Notifier {
        &self.notifier
    }
}

async fn now(connection: &mut SqliteConnection) -> Result<i64> {
    Ok(sqlx::query_scalar(select_now!()).fetch_one(connection).await?)
}
