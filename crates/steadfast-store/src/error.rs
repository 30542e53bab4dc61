//! Errors of a store.
//!
//! An error is either the caller's (an [`InputError`], a missing task, a wrong state) or the
//! database's. The latter has the facts of its failure, so that a caller can
//! [retry](steadfast::retry) it like any other.

use std::sync::Arc;

use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Fault, extract};
use thiserror::Error;

use crate::task::{Status, TaskId};
use crate::workflow::ExecutionError;

/// The result of a store operation.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An invalid input.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct InputError {
    field: &'static str,
    problem: String,
    index: Option<usize>,
}

impl InputError {
    /// An error of this field. `problem` also says what to do instead.
    pub fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into(), index: None }
    }

    /// The same for one input of a batch.
    pub(crate) const fn at(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// The name of the field, as in JSON.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }

    /// What is wrong with it, and what to do instead.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The index of the task in its batch, from 0.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        self.index
    }
}

/// An error of a store operation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The input is invalid. Nothing was written.
    #[error(transparent)]
    Invalid(#[from] InputError),
    /// The task does not exist.
    #[error("there is no task {0}; it may have been pruned")]
    NotFound(TaskId),
    /// The task is in the wrong state.
    #[error("cannot {action} task {id}: it {}", already(*status))]
    WrongStatus {
        /// The task.
        id: TaskId,
        /// Its state.
        status: Status,
        /// The rejected action: `cancel`, `requeue`, `run`, `change the expiry of`.
        action: &'static str,
    },
    /// The idempotency key belongs to another task.
    #[error(
        "idempotency key `{key}` was already used for task {existing}, with a different kind or \
         payload; use a different key"
    )]
    KeyTaken {
        /// The key.
        key: String,
        /// Its task.
        existing: TaskId,
    },
    /// The id belongs to another task.
    #[error("task {0} exists already with another kind or payload; give each task its own id")]
    IdTaken(TaskId),
    /// An operation on an execution failed.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// A newer version of this program has migrated the store.
    #[error(
        "the store's schema is version {found}, and this program supports {known}: \
         upgrade the program, or open another store"
    )]
    NewerSchema {
        /// The schema version of the store.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },
    /// The store cannot be opened at this URL.
    #[error("cannot open `{url}`: {problem}")]
    Url {
        /// The URL, without its password.
        url: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A row of a task cannot be decoded.
    #[error("task {id}: {problem}")]
    Decode {
        /// The task.
        id: TaskId,
        /// What is wrong with it.
        problem: String,
    },
    /// The disk is full. Committed data is not affected.
    #[error("the store's disk is full: free some space, then try again ({0})")]
    Full(#[source] Arc<sqlx::Error>),
    /// Another process locks the file.
    #[error("the store is locked by another process: stop it, or try again ({0})")]
    Locked(#[source] Arc<sqlx::Error>),
    /// The database is unreachable.
    #[error("the database is unreachable: {0}")]
    Unreachable(#[source] Arc<sqlx::Error>),
    /// The database rejected or failed the operation.
    #[error("the database failed: {0}")]
    Database(#[source] Arc<sqlx::Error>),
}

impl StoreError {
    /// The database did not answer in time.
    #[must_use]
    pub fn timed_out() -> Self {
        sqlx::Error::PoolTimedOut.into()
    }

    /// The runtime of the store has shut down.
    pub(crate) fn closed() -> Self {
        sqlx::Error::WorkerCrashed.into()
    }

    /// A column of a task cannot be decoded.
    pub(crate) fn cannot_decode(id: TaskId, what: &str, error: &dyn std::error::Error) -> Self {
        Self::Decode { id, problem: format!("cannot decode its {what}: {error}") }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Full(_) | Self::Locked(_) | Self::Unreachable(_))
    }

    /// Whether the default rules retry it (J3): transient errors, and deadlocks, too.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        let class = || judge::judge(&Rules::default(), &extract::failure(self)).class();
        self.is_transient() || class() != Class::Final
    }

    /// Whether the database is read-only, as a standby is.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.database_code().as_deref() == Some(READ_ONLY_TRANSACTION)
    }

    /// Whether the database cannot compute with a stored value, so that a retry fails, too.
    pub(crate) fn is_about_a_value(&self) -> bool {
        let code = self.database_code().unwrap_or_default();
        code.starts_with(DATA_EXCEPTION) || code.starts_with(PROGRAM_LIMIT) || code == SQLITE_ERROR
    }

    fn database_code(&self) -> Option<String> {
        let Self::Database(error) = self else {
            return None;
        };
        Some(error.as_database_error()?.code()?.into_owned())
    }

    /// The error as one that every caller of a group can have.
    pub(crate) fn to_shared(&self) -> Arc<sqlx::Error> {
        let other = || sqlx::Error::Protocol(self.to_string()).into();
        self.database_error().cloned().unwrap_or_else(other)
    }

    /// The database error, if it is one.
    pub(crate) const fn database_error(&self) -> Option<&Arc<sqlx::Error>> {
        match self {
            Self::Full(e) | Self::Locked(e) | Self::Unreachable(e) | Self::Database(e) => Some(e),
            _ => None,
        }
    }
}

/// Why an action on a task in this state is rejected, after "it".
const fn already(status: Status) -> &'static str {
    match status {
        Status::Pending => "is already pending",
        Status::Scheduled => "is already scheduled",
        Status::Running => "is already running",
        Status::Completed => "has already completed",
        Status::Failed => "has already failed",
        Status::Cancelled => "is already cancelled",
    }
}

/// SQLite's result codes: <https://sqlite.org/rescode.html>.
const SQLITE_ERROR: &str = "1";
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_IOERR: u32 = 10;
const SQLITE_FULL: u32 = 13;
const SQLITE_CANTOPEN: u32 = 14;
/// PostgreSQL's SQLSTATEs.
const READ_ONLY_TRANSACTION: &str = "25006";
const DISK_FULL: &str = "53100";
/// PostgreSQL's SQLSTATE classes of errors about a value.
const DATA_EXCEPTION: &str = "22";
const PROGRAM_LIMIT: &str = "54";

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Arc::new(error).into()
    }
}

impl From<Arc<sqlx::Error>> for StoreError {
    fn from(error: Arc<sqlx::Error>) -> Self {
        let Some(database) = error.as_database_error() else {
            return match *error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => Self::Unreachable(error),
                _ => Self::Database(error),
            };
        };
        let code = database.code().unwrap_or_default().into_owned();
        match (code.as_str(), sqlite_code(&error)) {
            (DISK_FULL, _) | (_, Some(SQLITE_FULL)) => Self::Full(error),
            (_, Some(SQLITE_BUSY | SQLITE_LOCKED)) => Self::Locked(error),
            (_, Some(SQLITE_IOERR | SQLITE_CANTOPEN)) => Self::Unreachable(error),
            // Connection exceptions, and a server that stops or starts.
            (code, None) if code.starts_with("08") || code.starts_with("57P") => {
                Self::Unreachable(error)
            }
            _ => Self::Database(error),
        }
    }
}

/// The primary result code of an SQLite error: the lowest byte of an extended one.
pub(crate) fn sqlite_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    // The codes of PostgreSQL have five characters.
    (code.len() < 5).then(|| code.parse::<u32>().ok().map(|code| code & 0xff)).flatten()
}

impl Failure for StoreError {
    fn fault(&self) -> Fault {
        let fault = self.database_error().map_or_else(Fault::default, |error| error.fault());
        fault.with_type("steadfast_store::StoreError").with_message(self.to_string())
    }
}
