//! What went wrong, as data (RFC 9457).
//!
//! This is the one place where the errors of a store become statuses and advice, so that a
//! command and a server cannot disagree about whose fault it is.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use steadfast_store::{ExecutionError, Invalid, Status, StoreError, TaskId};

/// A problem: what it is, where it is, what next. As JSON it is a problem of RFC 9457.
///
/// ```
/// use steadfast_api::{ApiError, ErrorKind};
///
/// let error = ApiError::new(ErrorKind::Invalid, "there is no status `faild`")
///     .field("status")
///     .next("did you mean failed?");
/// assert_eq!(
///     serde_json::to_string(&error)?,
///     r#"{"type":"urn:steadfast:invalid","title":"the input cannot be taken","status":400,"#.to_owned()
///         + r#""detail":"there is no status `faild`","field":"status","next":"did you mean failed?"}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ApiError {
    /// What sort of problem it is.
    #[serde(rename = "type")]
    pub kind: ErrorKind,
    /// The same in words.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub title: Cow<'static, str>,
    /// Its HTTP status.
    pub status: u16,
    /// What is wrong here.
    pub detail: String,
    /// The field of the input that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What was done and cannot be shown: its task or execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub id: Option<Box<String>>,
    /// What the store itself said. It is for whoever runs the store, in the log or on the command
    /// line, and not for everybody who may ask.
    #[serde(skip)]
    pub cause: Option<Box<String>>,
}

/// What sort of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum ErrorKind {
    /// It is done, and only cannot be shown.
    #[serde(rename = "urn:steadfast:unread")]
    Unread,
    /// The input cannot be taken. Nothing was written.
    #[serde(rename = "urn:steadfast:invalid")]
    Invalid,
    /// Nobody knows who asks.
    #[serde(rename = "urn:steadfast:unauthenticated")]
    Unauthenticated,
    /// Whoever asks may not do this.
    #[serde(rename = "urn:steadfast:forbidden")]
    Forbidden,
    /// The request was meant for a server of another name.
    #[serde(rename = "urn:steadfast:wrong-host")]
    WrongHost,
    /// Too much was asked in too short a time.
    #[serde(rename = "urn:steadfast:too-often")]
    TooOften,
    /// There is no such thing.
    #[serde(rename = "urn:steadfast:not-found")]
    NotFound,
    /// The task is where this cannot happen to it.
    #[serde(rename = "urn:steadfast:wrong-status")]
    WrongStatus,
    /// The lease is not the worker's any more.
    #[serde(rename = "urn:steadfast:stale-lease")]
    StaleLease,
    /// The idempotency key, or the id, belongs to other work.
    #[serde(rename = "urn:steadfast:key-taken")]
    KeyTaken,
    /// This cannot be done to what is there.
    #[serde(rename = "urn:steadfast:wrong-method")]
    WrongMethod,
    /// What was sent is not of a type that is read here.
    #[serde(rename = "urn:steadfast:wrong-type")]
    WrongType,
    /// More was sent than is taken.
    #[serde(rename = "urn:steadfast:too-large")]
    TooLarge,
    /// What was announced did not come in time.
    #[serde(rename = "urn:steadfast:too-slow")]
    TooSlow,
    /// What the store is opened by, or what is in it, is not for this program.
    #[serde(rename = "urn:steadfast:wrong-store")]
    WrongStore,
    /// The store's disk is full.
    #[serde(rename = "urn:steadfast:full")]
    Full,
    /// The store cannot be reached just now.
    #[serde(rename = "urn:steadfast:unreachable")]
    Unreachable,
    /// The store could not do it just now; the same may be done later.
    #[serde(rename = "urn:steadfast:passing")]
    Passing,
    /// The database takes no writes, as a standby does.
    #[serde(rename = "urn:steadfast:read-only")]
    ReadOnly,
    /// The server is on its way out.
    #[serde(rename = "urn:steadfast:stopping")]
    Stopping,
    /// The store failed.
    #[serde(rename = "urn:steadfast:failed")]
    Failed,
    /// The server failed.
    #[serde(rename = "urn:steadfast:broken")]
    Broken,
    /// Something that this version does not know.
    #[serde(other)]
    Other,
}

impl ErrorKind {
    const fn status(self) -> u16 {
        match self {
            Self::Unread => 202,
            Self::Invalid => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::WrongMethod => 405,
            Self::TooSlow => 408,
            Self::WrongStatus | Self::StaleLease => 409,
            Self::TooLarge => 413,
            Self::WrongType => 415,
            Self::WrongHost => 421,
            Self::KeyTaken => 422,
            Self::TooOften => 429,
            Self::Unreachable | Self::Passing | Self::ReadOnly | Self::Stopping => 503,
            Self::Full => 507,
            Self::WrongStore | Self::Failed | Self::Broken | Self::Other => 500,
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Unread => "it is done, and cannot be shown",
            Self::Invalid => "the input cannot be taken",
            Self::Unauthenticated => "nobody knows who asks",
            Self::Forbidden => "whoever asks may not do this",
            Self::WrongHost => "the request was meant for a server of another name",
            Self::TooOften => "too much was asked in too short a time",
            Self::NotFound => "there is no such thing",
            Self::WrongStatus => "the task is where this cannot happen to it",
            Self::StaleLease => "the lease is not the worker's any more",
            Self::KeyTaken => "the idempotency key or the id belongs to other work",
            Self::WrongMethod => "this cannot be done here",
            Self::WrongType => "what was sent is of a type that is not read here",
            Self::TooLarge => "more was sent than is taken",
            Self::TooSlow => "what was announced did not come in time",
            Self::WrongStore => "the store is not for this program",
            Self::Full => "the store's disk is full",
            Self::Unreachable => "the store cannot be reached",
            Self::Passing => "the store could not do it just now",
            Self::ReadOnly => "this database takes no writes",
            Self::Stopping => "the server is on its way out",
            Self::Broken => "the server failed",
            Self::Failed | Self::Other => "the store failed",
        }
    }
}

impl ApiError {
    /// What is wrong.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            title: Cow::Borrowed(kind.title()),
            status: kind.status(),
            detail: detail.into(),
            field: None,
            next: None,
            id: None,
            cause: None,
        }
    }

    /// The same, seen as a problem of another sort.
    pub(crate) fn of_kind(self, kind: ErrorKind) -> Self {
        let Self { detail, field, next, id, cause, .. } = self;
        Self { field, next, id, cause, ..Self::new(kind, detail) }
    }

    /// The same, and the field that it is about.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// What is wrong here, and what the store itself said: for whoever runs the store.
    #[must_use]
    pub fn with_cause(&self) -> Cow<'_, str> {
        match &self.cause {
            Some(cause) => Cow::Owned(format!("{}: {cause}", self.detail)),
            None => Cow::Borrowed(&self.detail),
        }
    }

    /// The same, and what to do about it.
    #[must_use]
    pub fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.with_cause())?;
        match &self.next {
            Some(next) => write!(f, "; {next}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ApiError {}

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        let field = invalid.field();
        let text = invalid.to_string();
        let detail = text.strip_prefix(field).and_then(|rest| rest.strip_prefix(": "));
        // What is wrong and what to do about it are one sentence there.
        let (detail, next) = match detail.unwrap_or(&text).split_once("; ") {
            Some((detail, next)) => (detail, Some(next.to_owned())),
            None => (detail.unwrap_or(&text), None),
        };
        let error = Self::new(ErrorKind::Invalid, detail).field(field);
        Self { next, ..error }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| cause.to_string().into());
        let (kind, detail, next) = match error {
            StoreError::Invalid(invalid) => return invalid.into(),
            StoreError::IdTaken(id) => return id_taken(id),
            StoreError::KeyTaken { key, existing } => return key_taken(&key, existing),
            StoreError::Url { url, problem } => return wrong_url(&url, problem),
            StoreError::NotFound(id) => return not_found(id),
            StoreError::Execution(error) => return of_execution(&error),
            StoreError::Full(_) => {
                (ErrorKind::Full, "the store's disk is full", "make room on it, then ask again")
            }
            StoreError::Locked(_) => {
                let next = "ask again, or end the process that holds it";
                (ErrorKind::Unreachable, "another process holds the store", next)
            }
            StoreError::Unreachable(_) => {
                let next = "see that it runs and that its address is right";
                (ErrorKind::Unreachable, "the database cannot be reached", next)
            }
            ref failed @ StoreError::Database(_) => of_database(failed),
            other => return of_itself(&other),
        };
        Self { cause, ..Self::new(kind, detail).next(next) }
    }
}

/// What the database said no to, or could not do, and what next.
fn of_database(error: &StoreError) -> (ErrorKind, &'static str, &'static str) {
    if error.is_read_only() {
        return (ErrorKind::ReadOnly, "this database takes no writes", "ask the primary");
    }
    match error.may_pass() {
        true => (ErrorKind::Passing, "the database could not do it just now", "ask again"),
        false => (ErrorKind::Failed, "the database failed", "see the database's own log"),
    }
}

/// A problem that the store found, and not its database.
fn of_itself(error: &StoreError) -> ApiError {
    let (kind, next) = match error {
        StoreError::WrongStatus { status, .. } => (ErrorKind::WrongStatus, instead(*status)),
        StoreError::FromTheFuture { .. } => {
            (ErrorKind::WrongStore, "use the version of this program that wrote it")
        }
        StoreError::Damaged { .. } => {
            (ErrorKind::Failed, "restore it from a copy, or cancel the task")
        }
        _ => (ErrorKind::Failed, "see the store's own log"),
    };
    ApiError::new(kind, error.to_string()).next(next)
}

fn of_execution(error: &ExecutionError) -> ApiError {
    let (kind, next) = match error {
        ExecutionError::NotFound(_) => {
            (ErrorKind::NotFound, "list executions to see those there are")
        }
        ExecutionError::WrongStatus { .. } => (ErrorKind::WrongStatus, "see where it is first"),
        ExecutionError::Followed { .. } => (ErrorKind::WrongStatus, "see the last of its chain"),
        ExecutionError::NoWorkflow(_) => {
            (ErrorKind::NotFound, "keep one first, or list those there are")
        }
        ExecutionError::KeyTaken { .. } => (ErrorKind::KeyTaken, "use another key, or none"),
        _ => (ErrorKind::Failed, "ask again; start another if that does not help"),
    };
    ApiError::new(kind, error.to_string()).next(next)
}

/// What can be done with a task that is here.
const fn instead(status: Status) -> &'static str {
    match status {
        Status::Completed | Status::Failed | Status::Cancelled => {
            "it has ended: requeue it to have it tried again"
        }
        Status::Running => "it is under way: wait for its end, or cancel it",
        Status::Pending | Status::Scheduled => {
            "it has not ended: it will be tried by itself, or run it now"
        }
    }
}

fn not_found(id: TaskId) -> ApiError {
    ApiError::new(ErrorKind::NotFound, format!("there is no task {id}"))
        .next("list the tasks to see which there are; ended ones are forgotten in time")
}

fn id_taken(id: TaskId) -> ApiError {
    let detail = format!("task {id} is there already, and has another kind or payload");
    ApiError::new(ErrorKind::KeyTaken, detail)
        .field("id")
        .next("give each task an id of its own, or none")
}

fn key_taken(key: &str, existing: impl fmt::Display) -> ApiError {
    let detail = format!("`{key}` belongs to task {existing}, which has another kind or payload");
    ApiError::new(ErrorKind::KeyTaken, detail)
        .field("idempotency_key")
        .next("use a key of its own for each piece of work")
}

fn wrong_url(url: &str, problem: String) -> ApiError {
    ApiError::new(ErrorKind::WrongStore, format!("the store `{url}` cannot be opened"))
        .next(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: every error of a store says what next, and whose fault it is.
    #[test]
    fn every_error_of_a_store_says_what_next() {
        let id = TaskId::fresh();
        let errors = [
            (StoreError::NotFound(id), 404),
            (StoreError::WrongStatus { id, status: Status::Completed, wanted: "cancelled" }, 409),
            (StoreError::KeyTaken { key: "k".to_owned(), existing: id }, 422),
            (StoreError::IdTaken(id), 422),
            (StoreError::FromTheFuture { found: 9, known: 2 }, 500),
            (StoreError::Damaged { id, problem: "no policy".to_owned() }, 500),
            (StoreError::no_answer(), 503),
        ];
        for (error, status) in errors {
            let told = ApiError::from(error);
            assert_eq!(told.status, status, "{told}");
            assert!(told.next.is_some(), "{told}");
        }
    }

    /// K4: what the database said is for those who run it, and leaves no server.
    #[test]
    fn what_the_database_said_is_not_for_everybody() {
        let told = ApiError::from(StoreError::no_answer());
        let cause = told.cause.clone().unwrap();
        assert!(told.to_string().contains(&*cause), "{told}");
        assert!(!serde_json::to_string(&told).unwrap().contains(&*cause));
    }

    /// K4: a wrong input is told with its field.
    #[test]
    fn an_invalid_input_is_told_with_its_field_and_what_is_right() {
        let told =
            ApiError::from(Invalid::new("queue", "is 256 bytes long; at most 255 are taken"));
        assert_eq!((told.status, told.field.as_deref()), (400, Some("queue")));
        assert_eq!(told.detail, "is 256 bytes long");
        assert_eq!(told.next.as_deref(), Some("at most 255 are taken"));
    }

    /// H1: whoever reads a problem of a newer version still reads it.
    #[test]
    fn a_problem_of_an_unknown_kind_can_be_read() {
        let newer = r#"{"type":"urn:steadfast:tired","title":"t","status":418,"detail":"d"}"#;
        let read: ApiError = serde_json::from_str(newer).unwrap();
        assert_eq!((read.kind, read.status), (ErrorKind::Other, 418));
    }
}
