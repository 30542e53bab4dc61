//! Schema migrations (D14).
//!
//! Each migration is a numbered file that is applied once, in order. Its statements never change
//! after a release. Migrations run under the file's write lock, so of ten processes that start
//! together one migrates. The version is in its own table, because the file may belong to another
//! program, and so does its `user_version`.

use std::time::Duration;

use sqlx::{ConnectOptions, Connection, SqliteConnection};
use steadfast::{Class, Policy, extract, judge, retry};

use super::options::Options;
use crate::engine::inspect::check_schema_version;
use crate::error::{InputError, Result, StoreError};

/// Every migration in order. The statements of a released migration never change.
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

const VERSION: &str = "SELECT coalesce(max(version), 0) FROM steadfast_schema";
const CREATE: &str = "CREATE TABLE IF NOT EXISTS steadfast_schema \
     (version INTEGER PRIMARY KEY, applied_at TEXT) STRICT";
const SET_VERSION: &str =
    "INSERT INTO steadfast_schema (version, applied_at) VALUES (?1, datetime('now'))";

const OPEN_RETRY_DELAY: Duration = Duration::from_millis(20);

pub(super) const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// Prepares a file for any number of connections, and returns the version before.
pub(super) async fn prepare(options: &Options) -> Result<i64> {
    // SQLite does not wait for the lock that a change of the journal mode needs.
    let timeout = options.busy_timeout.max(OPEN_RETRY_DELAY);
    let attempts = timeout.as_millis() / OPEN_RETRY_DELAY.as_millis() + 1;
    let policy = Policy::fixed(OPEN_RETRY_DELAY)
        .max_attempts(u32::try_from(attempts).unwrap_or(u32::MAX))
        .max_duration(timeout)
        .build()
        .map_err(|error| InputError::new("busy_timeout", error.to_string()))?;
    // A final error is returned as an answer: the caller reports it, so the session does not log it.
    let connect = || async {
        match connect_with_log(options).await {
            Err(error) if is_final(&policy, &error) => Ok(Err(error)),
            connected => connected.map(Ok),
        }
    };
    let connected = retry(&policy, connect).named("open_store").await;
    let mut connection = connected.map_err(|error| match error.into_error() {
        Ok(error) => StoreError::from(error),
        Err(gave_up) => StoreError::Locked(sqlx::Error::Protocol(gave_up.to_string()).into()),
    })??;
    let migrated = migrate(&mut connection).await;
    connection.close().await?;
    migrated
}

fn is_final(policy: &Policy, error: &sqlx::Error) -> bool {
    judge::judge(policy.rules(), &extract::failure(error)).class() == Class::Final
}

/// A connection to a file with a write-ahead log, so that readers and the writer do not wait for
/// each other.
async fn connect_with_log(options: &Options) -> Result<SqliteConnection, sqlx::Error> {
    let mut connection = options.writing().connect().await?;
    sqlx::query("PRAGMA journal_mode = WAL").execute(&mut connection).await?;
    Ok(connection)
}

/// Applies the missing migrations, and returns the version before.
pub(super) async fn migrate(connection: &mut SqliteConnection) -> Result<i64> {
    let found = check_schema_version(version(connection).await?, SCHEMA_VERSION)?;
    if found == SCHEMA_VERSION {
        return Ok(found);
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query(CREATE).execute(&mut *transaction).await?;
    let applied = check_schema_version(version(&mut transaction).await?, SCHEMA_VERSION)?;
    for (number, migration) in (1..).zip(MIGRATIONS) {
        if number > applied {
            sqlx::raw_sql(migration).execute(&mut *transaction).await?;
            sqlx::query(SET_VERSION).bind(number).execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await?;
    Ok(applied)
}

/// The last applied migration, or 0.
pub(super) async fn version(connection: &mut SqliteConnection) -> Result<i64> {
    let exists = "SELECT count(*) FROM sqlite_schema WHERE name = 'steadfast_schema'";
    if sqlx::query_scalar::<_, i64>(exists).fetch_one(&mut *connection).await? == 0 {
        return Ok(0);
    }
    Ok(sqlx::query_scalar(VERSION).fetch_one(connection).await?)
}
