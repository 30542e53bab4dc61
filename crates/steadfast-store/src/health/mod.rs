//! What a store is like from outside: whoever keeps one needs to know before it hurts.
//!
//! A store goes bad slowly and elsewhere: a forgotten transaction keeps dead rows alive, a
//! listener that sleeps fills a queue that all databases share, a worker that is gone leaves
//! leases behind. [`examine`] gathers the facts of all that. It opens no store: nothing is
//! migrated, nothing is made, nothing is written. What to think of the facts is not said here.
//!
//! A fact that cannot be had, for want of a right or because it takes too long, is [`Unseen`]
//! with the reason. It never spoils the others.

mod clock;
mod postgres;
mod sqlite;
mod work;

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use crate::error::Result;
use crate::location::StoreLocation;

pub use clock::Clock;
pub use postgres::{
    Connections, Listening, Numbers, PostgresHealth, Prepared, Server, Session, Slot, Table,
    Transactions,
};
pub use sqlite::{Access, Filesystem, Holder, Pages, Space, SqliteHealth, StoreFile};
pub use work::{Due, Lapsed, Work};

/// A fact, or why it could not be had.
pub type Seen<T> = std::result::Result<T, Unseen>;

/// Why a fact could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen(String);

impl Unseen {
    /// For this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<sqlx::Error> for Unseen {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error() {
            Some(told) => Self::because(told.message()),
            None => Self::because(error.to_string()),
        }
    }
}

/// The facts of a store.
#[derive(Clone, Debug)]
pub struct Health {
    /// Whether it is one that this program knows.
    pub schema: Seen<Schema>,
    /// Who works on it, and who does not.
    pub work: Seen<Work>,
    /// What is the engine's own.
    pub engine: EngineHealth,
}

/// What is one engine's own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EngineHealth {
    /// PostgreSQL.
    Postgres(Box<PostgresHealth>),
    /// An SQLite file.
    Sqlite(Box<SqliteHealth>),
}

/// Which version a store's schema has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The store's; 0 if there is none yet.
    pub found: i64,
    /// The newest that this program knows.
    pub known: i64,
}

impl Schema {
    /// Whether the store's tables are those that this program knows.
    #[must_use]
    pub const fn is_current(self) -> bool {
        self.found == self.known
    }
}

/// Looks at the store of this URL. `clock` tells this machine's time, which is compared with the
/// database's.
///
/// # Errors
/// The URL makes no sense, there is no such file, or the database lets nobody in.
pub async fn examine(url: &str, clock: impl Fn() -> Timestamp + Send + Sync) -> Result<Health> {
    match StoreLocation::parse(url)? {
        StoreLocation::Sqlite => crate::engine::sqlite::health::examine(url).await,
        StoreLocation::Postgres => crate::engine::postgres::health::examine(url, &clock).await,
    }
}

/// Why there is nothing to say about the tasks of a store. One with an older schema has tasks
/// where we look for them.
pub(crate) fn work_unseen(schema: &Seen<Schema>) -> Option<Unseen> {
    match schema {
        Ok(Schema { found: 0, .. }) => Some(Unseen::because("there is no store yet")),
        Ok(Schema { found, known }) if found > known => {
            Some(Unseen::because("this program does not know the store's schema"))
        }
        Ok(_) => None,
        Err(why) => Some(why.clone()),
    }
}

/// A duration from a database's seconds. What would be negative is none.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}
