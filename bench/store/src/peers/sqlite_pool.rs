//! The connection pool of the SQLite peers whose options can be set.

use anyhow::Result;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

/// Opens a pool with WAL and `synchronous = NORMAL`, the fixed options of effectum.
pub(super) async fn open(file: &str, connections: u32) -> Result<SqlitePool> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal);
    Ok(SqlitePoolOptions::new().max_connections(connections).connect_with(options).await?)
}
