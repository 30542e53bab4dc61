//! Store URLs, and opening a store by one.

use std::sync::Arc;

use steadfast::observe::Redactor;

use crate::engine::Engine;
use crate::engine::postgres::Postgres;
use crate::engine::sqlite::Sqlite;
use crate::error::{Result, StoreError};
use crate::store::Store;

impl Store {
    /// Opens `sqlite:PATH` (made if it is not there) or `postgres://…`, and brings its schema
    /// up to date. Many may do so at the same moment (D14).
    ///
    /// # Errors
    /// The URL makes no sense, the database cannot be reached, or a newer version of this
    /// program has been there before.
    pub async fn open(url: &str) -> Result<Self> {
        let engine: Arc<dyn Engine> = match StoreLocation::parse(url)? {
            StoreLocation::Sqlite => Arc::new(Sqlite::open(url).await?),
            StoreLocation::Postgres => Arc::new(Postgres::open(url).await?),
        };
        Ok(Self::on(engine).called(&without_password(url)))
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
                let problem = "say sqlite:PATH or postgres://USER@HOST/DATABASE".to_owned();
                Err(StoreError::Url { url: without_password(url), problem })
            }
        }
    }
}

/// A URL that can be shown.
pub(crate) fn without_password(url: &str) -> String {
    Redactor::installed().text(url).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O5: a store is known by what it was opened by.
    #[tokio::test]
    async fn a_store_has_the_name_that_it_was_opened_by() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        assert_eq!(store.name(), "sqlite::memory:");
    }

    /// O5: what cannot be opened is named without its secrets, and says what can be.
    #[tokio::test]
    async fn an_unknown_url_is_shown_without_its_password() {
        let told = Store::open("mysql://ada:hunter2@db/tasks").await.unwrap_err().to_string();
        assert!(told.contains("say sqlite:PATH or postgres://"), "{told}");
        assert!(told.contains("mysql://") && !told.contains("hunter2"), "{told}");
        let told = Store::open("tasks.db").await.unwrap_err().to_string();
        assert!(told.starts_with("cannot open `tasks.db`: say sqlite:PATH"), "{told}");
    }
}
