//! The databases themselves, each with nothing in it and gone after its case.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use steadfast_store::{Result, Store};
use steadfast_testing::postgres;
use tempfile::TempDir;

pub(crate) enum Database {
    Postgres(postgres::Database),
    Sqlite(TempDir),
}

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
