//! Opening a store by its URL.

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::{Result, StoreError};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::store::Store;

impl Store {
    /// Opens `sqlite:PATH` (made if it is not there) or `postgres://…`, and brings its schema
    /// up to date. Many may do so at the same moment (D14).
    ///
    /// # Errors
    /// The URL makes no sense, the database cannot be reached, or a newer version of this
    /// program has been there before.
    pub async fn open(url: &str) -> Result<Self> {
        let engine: Arc<dyn Engine> = match url.split_once(':') {
            Some(("sqlite", _)) => Arc::new(Sqlite::open(url).await?),
            Some(("postgres" | "postgresql", _)) => Arc::new(Postgres::open(url).await?),
            _ => {
                let problem = "say sqlite:PATH or postgres://USER@HOST/DATABASE".to_owned();
                return Err(StoreError::Url { url: url.to_owned(), problem });
            }
        };
        Ok(Self::on(engine))
    }
}
