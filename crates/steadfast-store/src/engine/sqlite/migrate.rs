//! Bringing a file to the schema that this program knows (D14).
//!
//! Each migration is a numbered file that is applied once, in order, and never changed after a
//! release. All of it happens under the file's one write lock, so of ten processes that start
//! together one migrates and nine find it done. The version is in a table of its own: the file
//! may belong to the caller, and so does its `user_version`.

use std::time::Duration;

use sqlx::{ConnectOptions, Connection, SqliteConnection};
use steadfast::{Policy, retry};

use super::options::Options;
use crate::engine::inspect::not_from_the_future;
use crate::error::{Invalid, Result, StoreError};

/// Every migration, the first of them version 1.
const MIGRATIONS: [&str; 8] = [
    include_str!("migrations/0001_places.sql"),
    include_str!("migrations/0002_breakers.sql"),
    include_str!("migrations/0003_sums.sql"),
    include_str!("migrations/0004_executions.sql"),
    include_str!("migrations/0005_overview.sql"),
    include_str!("migrations/0006_ends.sql"),
    include_str!("migrations/0007_reports.sql"),
    include_str!("migrations/0008_kinds.sql"),
];

const VERSION: &str = include_str!("sql/schema_version.sql");
const CREATE: &str = include_str!("sql/schema_create.sql");
const SET: &str = include_str!("sql/schema_set.sql");

/// The newest schema that is known here.
pub(super) const KNOWN: i64 = MIGRATIONS.len() as i64;

/// Makes a file ready for use by any number of connections. Answers with the version that it
/// had.
pub(super) async fn prepare(options: &Options) -> Result<i64> {
    // SQLite itself does not wait for the lock that a change of the journal mode needs.
    let policy = Policy::fixed(Duration::from_millis(20))
        .max_attempts(u32::MAX)
        .max_duration(options.busy_timeout().max(Duration::from_millis(20)))
        .build()
        .map_err(|error| Invalid::new("busy_timeout", error.to_string()))?;
    let connected = retry(&policy, || connect_to_log(options)).await;
    let mut connection = connected.map_err(|error| match error.into_error() {
        Ok(error) => StoreError::from(error),
        Err(gave_up) => StoreError::Locked(sqlx::Error::Protocol(gave_up.to_string())),
    })?;
    let migrated = migrate(&mut connection).await;
    connection.close().await?;
    migrated
}

/// A connection to a file that is in write-ahead mode, so that readers and the writer do not
/// wait for each other.
async fn connect_to_log(options: &Options) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = options.writing().connect().await?;
    sqlx::query("PRAGMA journal_mode = WAL").execute(&mut connection).await?;
    Ok(connection)
}

/// Applies what is missing to the version that it answers with.
pub(super) async fn migrate(connection: &mut SqliteConnection) -> Result<i64> {
    let found = not_from_the_future(version(connection).await?, KNOWN)?;
    if found == KNOWN {
        return Ok(found);
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query(CREATE).execute(&mut *transaction).await?;
    let applied = not_from_the_future(version(&mut transaction).await?, KNOWN)?;
    for (number, migration) in (1..).zip(MIGRATIONS) {
        if number > applied {
            sqlx::raw_sql(migration).execute(&mut *transaction).await?;
            sqlx::query(SET).bind(number).execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await?;
    Ok(applied)
}

/// The version that was applied last; 0 for a file without any.
pub(super) async fn version(connection: &mut SqliteConnection) -> Result<i64> {
    let exists = "SELECT count(*) FROM sqlite_schema WHERE name = 'steadfast_schema'";
    if sqlx::query_scalar::<_, i64>(exists).fetch_one(&mut *connection).await? == 0 {
        return Ok(0);
    }
    Ok(sqlx::query_scalar(VERSION).fetch_one(connection).await?)
}
