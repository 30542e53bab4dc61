//! What SQLite itself knows about its file.

use std::time::{Duration, Instant};

use sqlx::{Executor, Row, SqliteConnection};

use crate::error::{Result, StoreError};
use crate::health::{Pages, Seen, Unseen};

const CHECK: &str = include_str!("../sql/health_check.sql");
const PAGES: &str = include_str!("../sql/health_pages.sql");

/// How many steps of SQLite's machine are made between two looks at the clock.
const STEPS: i32 = 10_000;
const SQLITE_INTERRUPT: &str = "9";
/// The family of errors that say that the file is damaged.
const SQLITE_CORRUPT: u32 = 11;

/// Connecting reads nothing yet. Whether it is a database at all shows here.
pub(super) async fn first_read(connection: &mut SqliteConnection) -> Result<()> {
    connection.execute("PRAGMA schema_version").await?;
    Ok(())
}

/// What is damaged, read for no longer than this.
pub(super) async fn damage(
    connection: &mut SqliteConnection,
    limit: Duration,
) -> Seen<Vec<String>> {
    let began = Instant::now();
    connection.lock_handle().await?.set_progress_handler(STEPS, move || began.elapsed() < limit);
    let checked = sqlx::query_scalar::<_, String>(CHECK).fetch_all(&mut *connection).await;
    connection.lock_handle().await?.remove_progress_handler();
    match checked {
        Ok(lines) if lines == ["ok"] => Ok(Vec::new()),
        Ok(lines) => Ok(lines.iter().flat_map(|text| text.lines().map(str::to_owned)).collect()),
        Err(error) if code(&error).as_deref() == Some(SQLITE_INTERRUPT) => Err(Unseen::because(
            format!("reading the whole file takes longer than {} s", limit.as_secs()),
        )),
        Err(error) if is_corrupt(&error) => Ok(vec![Unseen::from(error).to_string()]),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn journal(connection: &mut SqliteConnection) -> Seen<String> {
    Ok(sqlx::query_scalar("PRAGMA journal_mode").fetch_one(connection).await?)
}

pub(super) async fn pages(connection: &mut SqliteConnection) -> Seen<Pages> {
    let row = sqlx::query(PAGES).fetch_one(connection).await?;
    let number = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
    Ok(Pages { size: number("size")?, count: number("count")?, free: number("free")? })
}

/// Takes the lock for writing and lets it go.
pub(super) async fn locked(connection: &mut SqliteConnection) -> Seen<bool> {
    // Who has promised not to write does not get it.
    connection.execute("PRAGMA query_only = OFF").await?;
    match connection.execute("BEGIN IMMEDIATE").await {
        Ok(_) => {
            connection.execute("ROLLBACK").await?;
            Ok(false)
        }
        Err(error) => match StoreError::from(error) {
            StoreError::Locked(_) => Ok(true),
            other => Err(Unseen::because(other.to_string())),
        },
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(|code| code.into_owned())
}

fn is_corrupt(error: &sqlx::Error) -> bool {
    let code = code(error).and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == SQLITE_CORRUPT)
}

#[cfg(test)]
mod tests {
    use sqlx::Connection as _;

    use super::*;

    /// K4: a file that takes too long to read is said to, and the connection is still good.
    #[tokio::test]
    async fn the_search_for_damage_ends_in_time() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        let rows = "CREATE TABLE rows AS WITH RECURSIVE n(i) AS \
             (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT i, hex(i) AS t FROM n; \
             CREATE INDEX by_text ON rows (t)";
        sqlx::raw_sql(rows).execute(&mut connection).await.unwrap();
        let told = damage(&mut connection, Duration::ZERO).await.unwrap_err().to_string();
        assert!(told.starts_with("reading the whole file takes longer than"), "{told}");
        let whole = damage(&mut connection, Duration::from_secs(60)).await;
        assert_eq!(whole, Ok(Vec::new()));
    }
}
