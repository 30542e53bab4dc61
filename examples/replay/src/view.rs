//! The runs as an SQL view in the store's own file, and that view as a table on paper.
//!
//! `sqlite3 FILE 'SELECT * FROM runs'` shows it without this program. The store's tables are
//! only looked at, and they are the store's: a new version of it may change them. So the view is
//! made anew by every daemon that starts, and a test reads all of it.

use std::path::Path;

use comfy_table::{ContentArrangement, Table, presets};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, Row, SqliteConnection};

const VIEW: &str = include_str!("view.sql");

/// One row of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// `CATEGORY/NAME`.
    pub run: String,
    /// What it is about.
    pub category: String,
    /// `discovered`, `processing`, `passed`, `needs_review`, `failed` or `error`.
    pub status: String,
    /// Retries so far, or to come.
    pub retry_count: i64,
    /// When it is tried again, if it is.
    pub next_retry_at: Option<String>,
    /// What its last error meant.
    pub error_class: Option<String>,
    /// Its last error's own words.
    pub error: Option<String>,
    /// Why there is no other attempt.
    pub gave_up: Option<String>,
    /// Where the answer differs from the recorded one.
    pub differences: Option<String>,
}

impl Run {
    /// Whether something is still to happen to it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "discovered" | "processing") || self.next_retry_at.is_some()
    }
}

/// Makes the view in a store's file.
///
/// # Errors
/// The file cannot be written, or the store's tables are not as this knows them.
pub async fn create(store: &Path) -> sqlx::Result<()> {
    let mut connection = connect(store).await?;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    transaction.execute("DROP VIEW IF EXISTS runs").await?;
    transaction.execute(VIEW).await?;
    transaction.commit().await
}

/// Reads the view.
///
/// # Errors
/// There is no such file, or no view in it.
pub async fn read(store: &Path) -> sqlx::Result<Vec<Run>> {
    let rows = connect(store).await?.fetch_all("SELECT * FROM runs").await?;
    let run = |row: &sqlx::sqlite::SqliteRow| {
        Ok(Run {
            run: row.try_get("run")?,
            category: row.try_get("category")?,
            status: row.try_get("status")?,
            retry_count: row.try_get("retry_count")?,
            next_retry_at: row.try_get("next_retry_at")?,
            error_class: row.try_get("error_class")?,
            error: row.try_get("error")?,
            gave_up: row.try_get("gave_up")?,
            differences: row.try_get("differences")?,
        })
    };
    rows.iter().map(run).collect()
}

async fn connect(store: &Path) -> sqlx::Result<SqliteConnection> {
    SqliteConnectOptions::new().filename(store).disable_statement_logging().connect().await
}

/// The runs as a table for people.
#[must_use]
pub fn table(runs: &[Run]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    let head = ["run", "status", "retry_count", "next_retry_at", "error_class", "remark"];
    table.set_header(head);
    for run in runs {
        let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
        let error = run.error.as_ref().map(|error| match &run.gave_up {
            Some(reason) => format!("{reason}: {error}"),
            None => error.clone(),
        });
        table.add_row([
            run.run.clone(),
            run.status.clone(),
            run.retry_count.to_string(),
            or_nothing(&run.next_retry_at),
            or_nothing(&run.error_class),
            run.differences.clone().or(error).unwrap_or_default(),
        ]);
    }
    table.trim_fmt()
}
