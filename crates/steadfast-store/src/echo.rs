//! One failure of the database that several callers hear of.
//!
//! A commit is shared, and so is its failure; but an error of the driver cannot be copied. The
//! echo says the same to each of them, code included, so that all draw the same conclusions.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use sqlx::error::{DatabaseError, ErrorKind};

/// An error that says what that one said.
pub(crate) fn of(error: &Arc<sqlx::Error>) -> sqlx::Error {
    match &**error {
        sqlx::Error::Database(_) => sqlx::Error::Database(Box::new(Echo(error.clone()))),
        sqlx::Error::Io(io) => sqlx::Error::Io(std::io::Error::new(io.kind(), error.to_string())),
        sqlx::Error::WorkerCrashed => sqlx::Error::WorkerCrashed,
        sqlx::Error::PoolTimedOut => sqlx::Error::PoolTimedOut,
        sqlx::Error::PoolClosed => sqlx::Error::PoolClosed,
        other => sqlx::Error::Protocol(other.to_string()),
    }
}

#[derive(Debug)]
struct Echo(Arc<sqlx::Error>);

impl fmt::Display for Echo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl Error for Echo {}

impl DatabaseError for Echo {
    fn message(&self) -> &str {
        self.0.as_database_error().map_or("the database failed", DatabaseError::message)
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.0.as_database_error()?.code()
    }

    fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        self.0.as_database_error().map_or(ErrorKind::Other, DatabaseError::kind)
    }
}
