//! Read-only inspection of a database, and migration.
//!
//! Opening a store migrates its schema. An inspection shows beforehand what that would do, and
//! changes nothing: it creates no file, applies no migration and takes no lock that blocks others.

use serde::Serialize;

use super::{postgres, sqlite};
use crate::error::{Result, StoreError};
use crate::location::StoreLocation;

/// The state of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The engine: `SQLite` or `PostgreSQL`.
    pub engine: &'static str,
    /// The version of that database.
    pub version: String,
    /// The number of applied migrations; 0 without a schema.
    pub applied: i64,
    /// The number of migrations in this program.
    pub known: i64,
    /// The size of the store on disk.
    pub bytes: u64,
    /// SQLite's journal mode: `wal` after a store was opened.
    pub journal_mode: Option<String>,
    /// The store's tables, by name.
    pub tables: Vec<TableRows>,
}

/// A table of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TableRows {
    /// Its name, without the prefix.
    pub name: String,
    /// The number of its rows.
    pub rows: u64,
}

impl Inspection {
    /// The number of missing migrations.
    #[must_use]
    pub fn pending(&self) -> i64 {
        (self.known - self.applied).max(0)
    }

    /// Whether a newer version of this program has migrated it.
    #[must_use]
    pub const fn is_newer(&self) -> bool {
        self.applied > self.known
    }
}

/// The result of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Migration {
    /// The number of migrations before; 0 without a schema.
    pub from: i64,
    /// The number of migrations now.
    pub to: i64,
}

/// Inspects the database of a URL without changing it.
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
/// The URL is invalid, the file does not exist, or the database is unreachable.
pub async fn inspect(url: &str) -> Result<Inspection> {
    match StoreLocation::parse(url)? {
        StoreLocation::Sqlite => sqlite::inspect(url).await,
        StoreLocation::Postgres => postgres::inspect(url).await,
    }
}

/// Migrates the schema, as opening a store does. Any number of processes may do so at the same
/// time (D14).
///
/// # Errors
/// As for [`Store::open`](crate::Store::open).
pub async fn migrate(url: &str) -> Result<Migration> {
    match StoreLocation::parse(url)? {
        StoreLocation::Sqlite => sqlite::migrate(url).await,
        StoreLocation::Postgres => postgres::migrate(url).await,
    }
}

/// Rejects a schema of a newer version of this program.
pub(crate) const fn check_schema_version(applied: i64, known: i64) -> Result<i64> {
    if applied > known {
        return Err(StoreError::NewerSchema { found: applied, known });
    }
    Ok(applied)
}
