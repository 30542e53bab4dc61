//! Direct reads of a case's database.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use steadfast_testing::{StoreDatabase, sqlite_url};

use super::Harness;

/// Id, status, reason, attempts, rate limit waits, class and message of the last error, key.
pub(super) type Overview = (String, String, Text, i64, i64, Text, Text, Text);

type Text = Option<String>;

impl Harness {
    /// The URL of a database without a store. On PostgreSQL the existing store is dropped.
    pub(crate) async fn empty_database(&self) -> String {
        match &*self.database {
            StoreDatabase::Postgres(_) => {
                self.database.execute("DROP SCHEMA steadfast CASCADE", "").await;
                self.url()
            }
            StoreDatabase::Sqlite(directory) => sqlite_url(directory, "empty.db"),
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
        match &*self.database {
            StoreDatabase::Postgres(_) => {
                let mut connection = PgConnection::connect(&self.url()).await.unwrap();
                sqlx::query_as(of("steadfast.overview")).fetch_all(&mut connection).await.unwrap()
            }
            StoreDatabase::Sqlite(_) => {
                let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                sqlx::query_as(of("steadfast_overview")).fetch_all(&mut connection).await.unwrap()
            }
        }
    }
}
