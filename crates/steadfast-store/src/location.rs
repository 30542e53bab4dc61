//! Store URLs, and opening a store by one.

use std::sync::Arc;

use steadfast::observe::Redactor;

use crate::engine::Engine;
use crate::engine::postgres::Postgres;
use crate::engine::sqlite::Sqlite;
use crate::error::{Result, StoreError};
use crate::store::Store;

impl Store {
    /// Opens `sqlite:PATH`, which is created if it does not exist, or `postgres://…`, and migrates
    /// its schema. Any number of processes may do so at the same time (D14).
    ///
    /// # Errors
    /// The URL is invalid, the database is unreachable, or a newer version of this program has
    /// migrated the schema.
    pub async fn open(url: &str) -> Result<Self> {
        let engine: Arc<dyn Engine> = match StoreLocation::parse(url)? {
            StoreLocation::Sqlite => Arc::new(Sqlite::open(url).await?),
            StoreLocation::Postgres => Arc::new(Postgres::open(url).await?),
        };
        Ok(Self::with_engine(engine).named(&without_password(url)))
    }
}

/// The kind of database that a URL names.
pub(crate) enum StoreLocation {
    Sqlite,
    Postgres,
}

impl StoreLocation {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", _)) => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            _ => {
                let problem = "use sqlite:PATH or postgres://USER@HOST/DATABASE".to_owned();
                Err(StoreError::Url { url: without_password(url), problem })
            }
        }
    }
}

/// The URL with its password redacted.
pub(crate) fn without_password(url: &str) -> String {
    Redactor::installed().text(url).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O5: a store is named after its URL.
    #[tokio::test]
    async fn store_name_is_its_url() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        assert_eq!(store.name(), "sqlite::memory:");
    }

    /// O5: the error of a URL has no secrets, and says what is supported.
    #[tokio::test]
    async fn unknown_url_is_rejected_without_its_password() {
        let error = Store::open("mysql://ada:hunter2@db/tasks").await.unwrap_err().to_string();
        assert!(error.contains("use sqlite:PATH or postgres://"), "{error}");
        assert!(error.contains("mysql://") && !error.contains("hunter2"), "{error}");
        let error = Store::open("tasks.db").await.unwrap_err().to_string();
        assert!(error.starts_with("cannot open `tasks.db`: use sqlite:PATH"), "{error}");
    }
}
