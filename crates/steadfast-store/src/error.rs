//! What can go wrong with a store.
//!
//! Each error says whose it is: the caller's (an [`Invalid`] input, a task that is not there, a
//! move that cannot be made) or the database's. The latter tells its facts, so that whoever
//! calls a store can [retry](steadfast::retry) it like anything else.

use std::fmt;

use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Fault, extract};
use thiserror::Error;

use crate::task::{Status, TaskId};
use crate::workflow::ExecutionError;

/// What a store's operations return.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An input that cannot be taken, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    field: &'static str,
    problem: String,
    place: Option<usize>,
}

impl Invalid {
    /// What is wrong with which field. `problem` says what to do instead, too.
    pub fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into(), place: None }
    }

    /// The same of one of many, which are counted from 0.
    pub(crate) const fn at(mut self, place: usize) -> Self {
        self.place = Some(place);
        self
    }

    /// The field, as JSON and rows spell it.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }

    /// What is wrong with it, and what to do instead.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// Which of the tasks that were submitted together it is, counted from 0.
    #[must_use]
    pub const fn place(&self) -> Option<usize> {
        self.place
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

impl std::error::Error for Invalid {}

/// Why a store did not do what it was asked to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The input cannot be taken. Nothing was written.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// There is no such task, or not any more.
    #[error("there is no task {0}; it may have been pruned")]
    NotFound(TaskId),
    /// The task is where this cannot happen to it.
    #[error("task {id} is {status}: it cannot be {wanted}")]
    WrongStatus {
        /// Which task.
        id: TaskId,
        /// Where it is.
        status: Status,
        /// What was wanted of it: `cancelled`, `requeued`, `run now`.
        wanted: &'static str,
    },
    /// The idempotency key belongs to a task that is not the same.
    #[error(
        "idempotency key `{key}` belongs to task {existing}, which has another kind or payload; \
         use a key of its own for each piece of work"
    )]
    KeyTaken {
        /// The key.
        key: String,
        /// Whose it is.
        existing: TaskId,
    },
    /// The id belongs to a task that is not the same.
    #[error(
        "task {0} is there already, and has another kind or payload; give each task its own id"
    )]
    IdTaken(TaskId),
    /// It cannot be done with this execution.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// The store was written by a newer version of this program.
    #[error(
        "the store's schema is version {found}, and this program knows {known}: \
         upgrade the program, or open another store"
    )]
    FromTheFuture {
        /// The schema's version.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// What the store is opened by makes no sense.
    #[error("cannot open `{url}`: {problem}")]
    Url {
        /// As given, without its password.
        url: String,
        /// What is wrong, and what is right.
        problem: String,
    },
    /// Something in the store is not as it was written.
    #[error("task {id}: {problem}")]
    Damaged {
        /// Which task.
        id: TaskId,
        /// What is wrong with it.
        problem: String,
    },
    /// The disk has no room, so nothing can be written. What was written stays.
    #[error("the store's disk is full: make room, and what was asked can be asked again ({0})")]
    Full(#[source] sqlx::Error),
    /// Another process holds the file, and did not let go in time.
    #[error("the store is locked by another process: end it, or try again ({0})")]
    Locked(#[source] sqlx::Error),
    /// The database cannot be reached just now.
    #[error("the database cannot be reached: {0}")]
    Unreachable(#[source] sqlx::Error),
    /// The database refused or failed.
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

impl StoreError {
    /// The database did not answer in the time that its caller had.
    #[must_use]
    pub const fn no_answer() -> Self {
        Self::Unreachable(sqlx::Error::PoolTimedOut)
    }

    /// The runtime that the store was opened in has ended, and all that answers with it.
    pub(crate) const fn ended() -> Self {
        Self::Unreachable(sqlx::Error::WorkerCrashed)
    }

    /// Whether the same call may succeed later, with nothing changed by the caller.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::Full(_) | Self::Locked(_) | Self::Unreachable(_))
    }

    /// The same by what the rules make of its facts (J3): a deadlock passes, too.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        let by_its_facts = || judge::judge(&Rules::default(), &extract::failure(self)).class();
        self.is_passing() || by_its_facts() != Class::Final
    }

    /// Whether the database takes no writes, as a standby does.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Database(error)) => {
                error.code().as_deref() == Some("25006")
            }
            _ => false,
        }
    }

    /// Whether the database cannot compute with something that is kept, so that asking again does
    /// not help.
    pub(crate) fn is_about_a_value(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else {
            return false;
        };
        let code = error.code().unwrap_or_default();
        code.starts_with(DATA_EXCEPTION) || code.starts_with(PROGRAM_LIMIT) || code == SQLITE_ERROR
    }

    /// The database's own error, if it is the database's.
    pub(crate) fn into_database_error(self) -> Option<sqlx::Error> {
        match self {
            Self::Full(e) | Self::Locked(e) | Self::Unreachable(e) | Self::Database(e) => Some(e),
            _ => None,
        }
    }

    fn source_error(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Full(e) | Self::Locked(e) | Self::Unreachable(e) | Self::Database(e) => Some(e),
            _ => None,
        }
    }
}

/// What SQLite's result codes mean to whoever waits: <https://sqlite.org/rescode.html>.
const SQLITE_ERROR: &str = "1";
const SQLITE_BUSY: &str = "5";
const SQLITE_LOCKED: &str = "6";
const SQLITE_IOERR: &str = "10";
const SQLITE_FULL: &str = "13";
const SQLITE_CANTOPEN: &str = "14";
/// PostgreSQL's words for the same.
const DISK_FULL: &str = "53100";
/// And its classes of what comes from a value.
const DATA_EXCEPTION: &str = "22";
const PROGRAM_LIMIT: &str = "54";

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let Some(database) = error.as_database_error() else {
            return if is_about_the_connection(&error) {
                Self::Unreachable(error)
            } else {
                Self::Database(error)
            };
        };
        let code = database.code().unwrap_or_default();
        // An extended code of SQLite has its family in the lowest byte.
        let family = code.parse::<u32>().map(|code| (code & 0xff).to_string());
        let sqlite = family.as_deref().ok().filter(|_| code.len() < 5);
        match (code.as_ref(), sqlite) {
            (DISK_FULL, _) | (_, Some(SQLITE_FULL)) => Self::Full(error),
            (_, Some(SQLITE_BUSY | SQLITE_LOCKED)) => Self::Locked(error),
            (_, Some(SQLITE_IOERR | SQLITE_CANTOPEN)) => Self::Unreachable(error),
            // Connection exceptions, and an operator who stops or starts the server.
            (code, None) if code.starts_with("08") || code.starts_with("57P") => {
                Self::Unreachable(error)
            }
            _ => Self::Database(error),
        }
    }
}

fn is_about_the_connection(error: &sqlx::Error) -> bool {
    matches!(
        error,
        sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
    )
}

impl Failure for StoreError {
    fn fault(&self) -> Fault {
        let fault = match self.source_error() {
            Some(error) => error.fault(),
            None => Fault::default(),
        };
        fault.with_type("steadfast_store::StoreError").with_message(self.to_string())
    }
}
