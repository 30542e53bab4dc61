//! The runs as an SQL view in the store's own file.
//!
//! `sqlite3 FILE 'SELECT * FROM runs'` shows it without this program. It is based on the store's
//! `steadfast_overview`, and every daemon replaces it at its start.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection};

const VIEW: &str = include_str!("view.sql");
const ANY_OPEN: &str = "SELECT EXISTS (SELECT 1 FROM runs WHERE is_open \
                        AND (?1 = '[]' OR category IN (SELECT value FROM json_each(?1))))";

/// Creates the view in a store's file.
///
/// # Errors
/// The file cannot be written, or is not a store.
pub async fn create(store: &Path) -> sqlx::Result<()> {
    let mut connection = connect(store).await?;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    transaction.execute("DROP VIEW IF EXISTS runs").await?;
    transaction.execute(VIEW).await?;
    transaction.commit().await
}

/// Whether a run of these categories, or of any if none is given, has not ended yet. It is one query,
/// so no run can change its state in between.
///
/// # Errors
/// The file or the view does not exist.
pub async fn any_open(store: &Path, categories: &[String]) -> sqlx::Result<bool> {
    let categories = serde_json::json!(categories).to_string();
    let asking = sqlx::query_scalar(ANY_OPEN).bind(categories);
    asking.fetch_one(&mut connect(store).await?).await
}

pub(crate) async fn connect(store: &Path) -> sqlx::Result<SqliteConnection> {
    SqliteConnectOptions::new().filename(store).disable_statement_logging().connect().await
}
