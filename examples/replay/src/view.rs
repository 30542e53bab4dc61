//! The runs as an SQL view in the store's own file.
//!
//! `sqlite3 FILE 'SELECT * FROM runs'` shows it without this program. It is made over the store's
//! `steadfast_overview`, anew by every daemon that starts, so it is that of the latest daemon.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection};

const VIEW: &str = include_str!("view.sql");
const ANY_OPEN: &str = "SELECT EXISTS (SELECT 1 FROM runs WHERE is_open \
                        AND (?1 = '[]' OR category IN (SELECT value FROM json_each(?1))))";

/// Makes the view in a store's file.
///
/// # Errors
/// The file cannot be written, or is no store's.
pub async fn create(store: &Path) -> sqlx::Result<()> {
    let mut connection = connect(store).await?;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    transaction.execute("DROP VIEW IF EXISTS runs").await?;
    transaction.execute(VIEW).await?;
    transaction.commit().await
}

/// Whether something is still to happen to a run of these categories, or of any if none is named.
/// It is one question, so no run can move from one place to another between two.
///
/// # Errors
/// There is no such file, or no view in it.
pub async fn any_open(store: &Path, categories: &[String]) -> sqlx::Result<bool> {
    let categories = serde_json::json!(categories).to_string();
    let asking = sqlx::query_scalar(ANY_OPEN).bind(categories);
    asking.fetch_one(&mut connect(store).await?).await
}

pub(crate) async fn connect(store: &Path) -> sqlx::Result<SqliteConnection> {
    SqliteConnectOptions::new().filename(store).disable_statement_logging().connect().await
}
