//! Health facts of a store, for monitoring and diagnosis.
//!
//! A store degrades slowly: an open transaction keeps dead rows, a listener that does not read
//! fills a queue that all databases share, a lost worker leaves expired leases. [`examine`]
//! collects the facts. It opens no store: nothing is migrated, created or written. It does not
//! judge the facts.
//!
//! A fact that cannot be read, for lack of a privilege or of time, is [`Unavailable`] with the
//! reason. It does not affect the others.

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

/// A fact, or the reason why it is unavailable.
pub type Fact<T> = std::result::Result<T, Unavailable>;

/// The reason why a fact is unavailable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(String);

impl Unavailable {
    /// A fact that is unavailable for this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<sqlx::Error> for Unavailable {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error() {
            Some(database) => Self::new(database.message()),
            None => Self::new(error.to_string()),
        }
    }
}

/// The facts of a store.
#[derive(Clone, Debug)]
pub struct Health {
    /// The schema version.
    pub schema: Fact<Schema>,
    /// The leases and backlogs.
    pub work: Fact<Work>,
    /// The facts of the engine.
    pub engine: EngineHealth,
}

/// The facts of one engine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EngineHealth {
    /// PostgreSQL.
    Postgres(Box<PostgresHealth>),
    /// An SQLite file.
    Sqlite(Box<SqliteHealth>),
}

/// The schema version of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The store's version; 0 without a schema.
    pub found: i64,
    /// This program's version.
    pub known: i64,
}

impl Schema {
    /// Whether both versions are equal.
    #[must_use]
    pub const fn is_current(self) -> bool {
        self.found == self.known
    }
}

/// Collects the health facts of the store at this URL. `clock` returns this machine's time, which
/// is compared with the database's.
///
/// # Errors
/// The URL is invalid, the file does not exist, or the database cannot be reached.
pub async fn examine(url: &str, clock: impl Fn() -> Timestamp + Send + Sync) -> Result<Health> {
    match StoreLocation::parse(url)? {
        StoreLocation::Sqlite => crate::engine::sqlite::health::examine(url).await,
        StoreLocation::Postgres => crate::engine::postgres::health::examine(url, &clock).await,
    }
}

/// Why the facts about tasks are unavailable. An older schema has them in the same tables.
pub(crate) fn work_unavailable(schema: &Fact<Schema>) -> Option<Unavailable> {
    match schema {
        Ok(Schema { found: 0, .. }) => Some(Unavailable::new("there is no store yet")),
        Ok(Schema { found, known }) if found > known => {
            Some(Unavailable::new("the store's schema is newer than this program"))
        }
        Ok(_) => None,
        Err(why) => Some(why.clone()),
    }
}

/// A duration from seconds; zero if negative.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}
