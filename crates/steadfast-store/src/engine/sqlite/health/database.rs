//! Facts that SQLite reports about its file.

use std::time::{Duration, Instant};

use sqlx::{Executor, SqliteConnection};

use crate::engine::row::EngineRow;
use crate::error::{Result, StoreError, sqlite_code};
use crate::health::{Fact, Pages, Unavailable};

const CHECK: &str = "PRAGMA quick_check(5)";
const PAGES: &str = "SELECT size.page_size AS size, total.page_count AS count, \
         empty.freelist_count AS free \
     FROM pragma_page_size AS size, pragma_page_count AS total, pragma_freelist_count AS empty";

/// The number of SQLite instructions between two checks of the clock.
const PROGRESS_STEPS: i32 = 10_000;
const SQLITE_INTERRUPT: u32 = 9;
const SQLITE_CORRUPT: u32 = 11;

/// The first read, which fails if the file is not a database. Connecting reads nothing.
pub(super) async fn first_read(connection: &mut SqliteConnection) -> Result<()> {
    connection.execute("PRAGMA schema_version").await?;
    Ok(())
}

/// The corruption that a time-limited check finds.
pub(super) async fn corruption(
    connection: &mut SqliteConnection,
    limit: Duration,
) -> Fact<Vec<String>> {
    let started = Instant::now();
    connection
        .lock_handle()
        .await?
        .set_progress_handler(PROGRESS_STEPS, move || started.elapsed() < limit);
    let checked = sqlx::query_scalar::<_, String>(CHECK).fetch_all(&mut *connection).await;
    connection.lock_handle().await?.remove_progress_handler();
    match checked {
        Ok(lines) if lines == ["ok"] => Ok(Vec::new()),
        Ok(lines) => Ok(lines.iter().flat_map(|text| text.lines().map(str::to_owned)).collect()),
        Err(error) if sqlite_code(&error) == Some(SQLITE_INTERRUPT) => Err(Unavailable::new(
            format!("reading the whole file takes longer than {} s", limit.as_secs()),
        )),
        Err(error) if sqlite_code(&error) == Some(SQLITE_CORRUPT) => {
            Ok(vec![Unavailable::from(error).to_string()])
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn journal(connection: &mut SqliteConnection) -> Fact<String> {
    Ok(sqlx::query_scalar("PRAGMA journal_mode").fetch_one(connection).await?)
}

pub(super) async fn pages(connection: &mut SqliteConnection) -> Fact<Pages> {
    let row = sqlx::query(PAGES).fetch_one(connection).await?;
    Ok(Pages { size: row.count("size")?, count: row.count("count")?, free: row.count("free")? })
}

/// Whether the write lock is taken.
pub(super) async fn locked(connection: &mut SqliteConnection) -> Fact<bool> {
    // A read-only connection does not get the lock.
    connection.execute("PRAGMA query_only = OFF").await?;
    match connection.execute("BEGIN IMMEDIATE").await {
        Ok(_) => {
            connection.execute("ROLLBACK").await?;
            Ok(false)
        }
        Err(error) => match StoreError::from(error) {
            StoreError::Locked(_) => Ok(true),
            other => Err(Unavailable::new(other.to_string())),
        },
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Connection as _;

    use super::*;

    /// K4: a check that takes too long reports that, and the connection is still usable.
    #[tokio::test]
    async fn integrity_check_is_time_limited() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        let rows = "CREATE TABLE rows AS WITH RECURSIVE n(i) AS \
             (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT i, hex(i) AS t FROM n; \
             CREATE INDEX by_text ON rows (t)";
        sqlx::raw_sql(rows).execute(&mut connection).await.unwrap();
        let error = corruption(&mut connection, Duration::ZERO).await.unwrap_err().to_string();
        assert!(error.starts_with("reading the whole file takes longer than"), "{error}");
        let whole = corruption(&mut connection, Duration::from_secs(60)).await;
        assert_eq!(whole, Ok(Vec::new()));
    }
}
