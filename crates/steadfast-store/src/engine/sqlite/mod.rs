//! The SQLite engine: a store in one file.
//!
//! For one machine this is all that is needed: nothing to install, nothing to run, and a file
//! that can be copied. Any number of processes may share it; within each, [writes](writer) go
//! through one connection and reads through a few others, and neither waits for the other.
//!
//! Statements of more than three lines, and those whose plans are tested, are in `sql/`, named
//! after the operation.

mod audit;
mod claim;
mod compress;
mod control;
mod count;
mod filter;
pub(crate) mod health;
mod history;
mod inspect;
mod latest_ended;
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
mod transitions;
mod workflows;
mod writer;

use std::ops::DerefMut;
use std::sync::Arc;

use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqlitePoolOptions, SqliteRow};
use sqlx::{ConnectOptions, SqliteConnection, SqlitePool};
use steadfast::Policy;
use tokio::sync::{Mutex, OwnedMutexGuard};

pub(crate) use self::inspect::{inspect, migrate};
use self::name_cache::NameCache;
use self::opened_file::OpenedFile;
use self::options::Options;
use self::submit_batcher::SqliteBatchWriter;
use self::writer::{SharedConnection, Writer};
use crate::engine::Engine;
use crate::engine::submit_batcher::SubmitBatcher;
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
#[derive(Debug)]
pub struct Sqlite {
    writer: Writer,
    submit_batcher: SubmitBatcher<()>,
    readers: Readers,
    names: Arc<NameCache>,
    notifier: Notifier,
}

/// The connections that read.
#[derive(Debug)]
enum Readers {
    File(SqlitePool, OpenedFile),
    /// In memory there is only one connection.
    Memory(SharedConnection),
}

/// A connection that reads what is committed. In memory, the writer waits until it is dropped.
type Reader = Box<dyn DerefMut<Target = SqliteConnection> + Send>;

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
        let (file, readers, connection) = match options.path() {
            Some(path) => {
                migrate::prepare(options).await?;
                let connection = options.writing().connect().await?;
                // A connection to a file does not break as one to a server does.
                let pool = SqlitePoolOptions::new().max_connections(MAX_READERS);
                let pool = pool.test_before_acquire(false).connect_lazy_with(options.reading());
                let file = OpenedFile::at(path).map_err(sqlx::Error::Io)?;
                (Some(file.clone()), Readers::File(pool, file), shared(connection))
            }
            None => {
                let mut connection = options.writing().connect().await?;
                migrate::migrate(&mut connection).await?;
                let connection = shared(connection);
                (None, Readers::Memory(connection.clone()), connection)
            }
        };
        let names = Arc::new(NameCache::default());
        let writer = Writer::start(connection, options.clone(), file, names.clone());
        let notifier = Notifier::default();
        let submit_batcher = SubmitBatcher::start(SqliteBatchWriter {
            writer: writer.clone(),
            names: names.clone(),
            notifier: notifier.clone(),
        });
        Ok(Self { writer, submit_batcher, readers, names, notifier })
    }

    /// A connection for reads. In memory there is only one: a caller that holds it must not wait for
    /// another read or write.
    async fn reader(&self) -> Result<Reader> {
        match &self.readers {
            Readers::File(pool, file) => {
                file.check().map_err(sqlx::Error::Io)?;
                Ok(Box::new(pool.acquire().await?))
            }
            Readers::Memory(connection) => {
                let connection = connection.clone().lock_owned().await;
                let connection = OwnedMutexGuard::try_map(connection, Option::as_mut);
                Ok(Box::new(connection.map_err(|_| StoreError::closed())?))
            }
        }
    }

    async fn rows(
        &self,
        query: Query<'_, sqlx::Sqlite, SqliteArguments>,
    ) -> Result<Vec<SqliteRow>> {
        Ok(query.fetch_all(&mut **self.reader().await?).await?)
    }

    /// The policy with this number, which the task uses.
    async fn policy(&self, number: i64, task: TaskId) -> Result<Arc<Policy>> {
        if let Some(policy) = self.names.policy(number) {
            return Ok(policy);
        }
        let body = sqlx::query_scalar("SELECT body FROM steadfast_policies WHERE number = ?1");
        let body: Option<String> =
            body.bind(number).fetch_optional(&mut **self.reader().await?).await?;
        let decode_error = |problem: String| StoreError::Decode { id: task, problem };
        let body = body.ok_or_else(|| decode_error("its policy does not exist".to_owned()))?;
        let policy = policy_snapshot::decode(&body).map_err(decode_error)?;
        self.names.insert_policy(number, policy.clone(), body.len());
        Ok(policy)
    }
}

impl Engine for Sqlite {
    fn notifier(&self) -> &Notifier {
        &self.notifier
    }
}

fn shared(connection: SqliteConnection) -> SharedConnection {
    Arc::new(Mutex::new(Some(connection)))
}

async fn now(connection: &mut SqliteConnection) -> Result<i64> {
    Ok(sqlx::query_scalar(select_now!()).fetch_one(connection).await?)
}
