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
    /// Blocks, so it is made before there is a runtime.
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

    /// One more process.
    pub(super) async fn open(&self) -> Result<Store> {
        Store::open(&self.url()).await
    }

    /// Where nobody has opened a store yet. On PostgreSQL the one that was there is gone.
    pub(super) async fn emptied(&self) -> String {
        match self {
            Self::Postgres(_) => {
                self.execute("DROP SCHEMA steadfast CASCADE", "").await;
                self.url()
            }
            Self::Sqlite(directory) => file(directory, "empty.db"),
        }
    }

    /// What the store's view for people says of each task.
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

    /// Runs statements past the store, as each engine spells them.
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
