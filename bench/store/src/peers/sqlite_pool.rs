//! SQLite options shared by the peers that let them be chosen.

use anyhow::Result;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

/// WAL and `synchronous = NORMAL`: what effectum asks for, and it cannot be configured
/// otherwise.
pub(super) async fn open(file: &str, connections: u32) -> Result<SqlitePool> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal);
    Ok(SqlitePoolOptions::new().max_connections(connections).connect_with(options).await?)
}
