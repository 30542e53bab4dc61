//! Databases for single cases.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use steadfast_store::{Result, Store};
use steadfast_testing::postgres;
use tempfile::TempDir;

pub(crate) enum Database {
    Postgres(postgres::Database),
    Sqlite(TempDir),
}

/// Id, status, reason, attempts, rate limit waits, class and message of the last error, key.
pub(super) type Overview = (String, String, Text, i64, i64, Text, Text, Text);

type Text = Option<String>;

impl Database {
    /// Blocks, so it has to be called outside of a runtime.
    pub(super) fn postgres() -> Self {
        Self::Postgres(postgres::Database::fresh().unwrap_or_else(|error| panic!("{error}")))
    }

    pub(super) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    pub(super) fn url(&self) -> String {
        match self {
            Self::Postgres(database) => database.url().to_owned(),
            Self::Sqlite(directory) => file(directory, "tasks.db"),
        }
    }

    /// Opens another store on the same database, as another process would.
    pub(super) async fn open(&self) -> Result<Store> {
        Store::open(&self.url()).await
    }

    /// The URL of a database without a store. On PostgreSQL the existing store is dropped.
    pub(super) async fn url_without_store(&self) -> String {
        match self {
            Self::Postgres(_) => {
                self.execute("DROP SCHEMA steadfast CASCADE", "").await;
                self.url()
            }
            Self::Sqlite(directory) => file(directory, "empty.db"),
        }
    }

    /// Each task as the store's SQL view shows it.
    pub(super) async fn overview(&self) -> Vec<Overview> {
        let of = |view: &str| {
            AssertSqlSafe(format!(
                "SELECT CAST(id AS text), status, reason, CAST(attempts AS bigint),
                        CAST(rate_limit_waits AS bigint), CAST(last_class AS text), last_message,
                        idempotency_key
                 FROM {view} ORDER BY id"
            ))
        };
        match self {
            Self::Postgres(_) => {
                let mut connection = PgConnection::connect(&self.url()).await.unwrap();
                sqlx::query_as(of("steadfast.overview")).fetch_all(&mut connection).await.unwrap()
            }
            Self::Sqlite(_) => {
                let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                sqlx::query_as(of("steadfast_overview")).fetch_all(&mut connection).await.unwrap()
            }
        }
    }

    /// Runs statements directly on the database, in each engine's dialect.
    pub(super) async fn execute(&self, on_postgres: &str, on_sqlite: &str) {
        match self {
            Self::Postgres(_) => {
                let mut connection = PgConnection::connect(&self.url()).await.unwrap();
                let statements = AssertSqlSafe(on_postgres.to_owned());
                sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
            }
            Self::Sqlite(_) => {
                let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                let statements = AssertSqlSafe(on_sqlite.to_owned());
                sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
            }
        }
    }
}

fn file(directory: &TempDir, name: &str) -> String {
    format!("sqlite:{}", directory.path().join(name).display())
}
