//! An empty database of either engine, for tests that run on both.

use tempfile::TempDir;

use crate::{Error, postgres};

/// A PostgreSQL database or an SQLite file, removed together with this value.
pub enum StoreDatabase {
    /// A database on the shared server.
    Postgres(postgres::Database),
    /// Files in a directory.
    Sqlite(TempDir),
}

impl StoreDatabase {
    /// Creates a PostgreSQL database. It blocks, so call it outside of a runtime.
    pub fn postgres() -> Result<Self, Error> {
        postgres::Database::fresh().map(Self::Postgres)
    }

    /// Creates a directory for SQLite files.
    pub fn sqlite() -> Result<Self, Error> {
        let directory = tempfile::tempdir().map_err(|error| {
            Error::new(format!("no temporary directory: {error}"), "check that /tmp is writable")
        })?;
        Ok(Self::Sqlite(directory))
    }

    /// The URL of its store.
    pub fn url(&self) -> String {
        match self {
            Self::Postgres(database) => database.url().to_owned(),
            Self::Sqlite(directory) => sqlite_url(directory, "tasks.db"),
        }
    }

    /// Runs statements on the database directly, in each engine's dialect.
    ///
    /// # Panics
    /// A statement fails.
    #[cfg(feature = "sqlx")]
    #[expect(clippy::unwrap_used, reason = "the test that runs them fails")]
    pub async fn execute(&self, on_postgres: &str, on_sqlite: &str) {
        use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection, raw_sql};
        match self {
            Self::Postgres(database) => {
                let mut connection = PgConnection::connect(database.url()).await.unwrap();
                let statements = raw_sql(AssertSqlSafe(on_postgres.to_owned()));
                statements.execute(&mut connection).await.unwrap();
            }
            Self::Sqlite(_) => {
                let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                let statements = raw_sql(AssertSqlSafe(on_sqlite.to_owned()));
                statements.execute(&mut connection).await.unwrap();
            }
        }
    }
}

/// The URL of an SQLite file in this directory.
pub fn sqlite_url(directory: &TempDir, file: &str) -> String {
    format!("sqlite:{}", directory.path().join(file).display())
}
