//! A database as it is, before a store is opened on it.
//!
//! Opening a store brings its schema up to date. Who wants to know what that would do, or why it
//! fails, has to look first, and the look must change nothing: it makes no file, applies no step
//! and takes no lock that anybody waits for.

use serde::Serialize;

use super::{postgres, sqlite};
use crate::error::{Result, StoreError};
use crate::location::StoreLocation;

/// What can be seen of a database from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Which database it is: `SQLite` or `PostgreSQL`.
    pub engine: &'static str,
    /// The version of that database.
    pub version: String,
    /// How many steps of the schema were applied; 0 where nobody has opened a store yet.
    pub applied: i64,
    /// How many this program knows.
    pub known: i64,
    /// What the store takes of the disk.
    pub bytes: u64,
    /// SQLite's journal mode: `wal` once a store was opened on the file.
    pub journal_mode: Option<String>,
    /// The store's tables, by name.
    pub tables: Vec<TableRows>,
}

/// A table of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TableRows {
    /// Its name, without the store's own prefix.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
}

impl Inspection {
    /// How many steps are missing.
    #[must_use]
    pub fn pending(&self) -> i64 {
        (self.known - self.applied).max(0)
    }

    /// Whether a newer version of this program has been there.
    #[must_use]
    pub const fn is_from_the_future(&self) -> bool {
        self.applied > self.known
    }
}

/// What bringing a schema up to date did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Migration {
    /// How many steps had been applied; 0 where nobody had opened a store yet.
    pub from: i64,
    /// How many are applied now.
    pub to: i64,
}

/// Looks at the database that a store's URL names, and changes nothing.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_store::StoreError> {
/// let found = steadfast_store::inspect("sqlite::memory:").await?;
/// assert_eq!((found.engine, found.applied, found.pending()), ("SQLite", 0, found.known));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The URL makes no sense, there is no such file, or the database cannot be reached.
pub async fn inspect(url: &str) -> Result<Inspection> {
    match StoreLocation::parse(url)? {
        StoreLocation::Sqlite => sqlite::inspect(url).await,
        StoreLocation::Postgres => postgres::inspect(url).await,
    }
}

/// Brings the schema up to date, as opening a store does, and tells what there was to do. Many
/// may do so at the same moment (D14).
///
/// # Errors
/// As for [`Store::open`](crate::Store::open).
pub async fn migrate(url: &str) -> Result<Migration> {
    match StoreLocation::parse(url)? {
        StoreLocation::Sqlite => sqlite::migrate(url).await,
        StoreLocation::Postgres => postgres::migrate(url).await,
    }
}

/// Refuses to touch what a newer version of this program has written.
pub(crate) const fn not_from_the_future(applied: i64, known: i64) -> Result<i64> {
    if applied > known {
        return Err(StoreError::FromTheFuture { found: applied, known });
    }
    Ok(applied)
}
