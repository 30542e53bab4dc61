//! API errors as problem details (RFC 9457).
//!
//! The mapping from store errors to HTTP statuses and advice is here alone, so the command line and
//! the server report the same error for the same cause.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use steadfast_store::{ExecutionError, InputError, Status, StoreError, TaskId};

/// A problem: what is wrong, with which field, and what to do. In JSON it is a problem of RFC 9457.
///
/// ```
/// use steadfast_api::{ApiError, ErrorKind};
///
/// let error = ApiError::new(ErrorKind::Invalid, "unknown status `faild`")
///     .field("status")
///     .next("did you mean `failed`?");
/// assert_eq!(
///     serde_json::to_string(&error)?,
///     r#"{"type":"urn:steadfast:invalid","title":"invalid request","status":400,"#.to_owned()
///         + r#""detail":"unknown status `faild`","field":"status","next":"did you mean `failed`?"}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(
        description = "A problem as of RFC 9457: what is wrong, with which field, and what to do."
    )
)]
#[non_exhaustive]
pub struct ApiError {
    /// The type of the problem.
    #[serde(rename = "type")]
    pub kind: ErrorKind,
    /// The type of the problem in words.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub title: Cow<'static, str>,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong in this request.
    pub detail: String,
    /// The field of the request that is invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The task or execution that the request changed, if it cannot be read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub id: Option<Box<String>>,
    /// The database's own message. It is for the log and the command line; a server does not send
    /// it.
    #[serde(skip)]
    pub cause: Option<Box<String>>,
}

/// Defines the types of problems: `Kind = urn, HTTP status, title`.
macro_rules! error_kinds {
    ($($(#[$doc:meta])* $kind:ident = $urn:tt, $status:literal, $title:literal;)*) => {
        /// The type of a problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* #[serde(rename = $urn)] $kind,)*
            /// A type that this version does not support.
            #[serde(other)]
            Other,
        }

        impl ErrorKind {
            /// The HTTP status and the title.
            const fn response(self) -> (u16, &'static str) {
                match self {
                    $(Self::$kind => ($status, $title),)*
                    Self::Other => (500, "store failure"),
                }
            }
        }
    };
}

error_kinds! {
    /// The change is committed, but the result cannot be read back.
    ReadBackFailed = "urn:steadfast:unread", 202, "done, but the result cannot be read";
    /// The request is invalid. Nothing was changed.
    Invalid = "urn:steadfast:invalid", 400, "invalid request";
    /// The request has no valid token.
    Unauthenticated = "urn:steadfast:unauthenticated", 401, "authentication required";
    /// The role of the caller does not allow the request.
    Forbidden = "urn:steadfast:forbidden", 403, "permission denied";
    /// The server does not serve the host name of the request.
    WrongHost = "urn:steadfast:wrong-host", 421, "host not allowed";
    /// Too many requests in a short time.
    RateLimited = "urn:steadfast:too-often", 429, "too many requests";
    /// The resource does not exist.
    NotFound = "urn:steadfast:not-found", 404, "not found";
    /// The action is not possible in the current status of the task or execution.
    WrongStatus = "urn:steadfast:wrong-status", 409, "not possible in the current status";
    /// The worker has lost the lease.
    StaleLease = "urn:steadfast:stale-lease", 409, "lease lost";
    /// The idempotency key or the id belongs to a different task or execution.
    KeyTaken = "urn:steadfast:key-taken", 422, "idempotency key or id already in use";
    /// The resource does not support the HTTP method.
    MethodNotAllowed = "urn:steadfast:wrong-method", 405, "method not allowed";
    /// The media type of the body is not supported.
    UnsupportedMediaType = "urn:steadfast:wrong-type", 415, "unsupported media type";
    /// The request body is too large.
    TooLarge = "urn:steadfast:too-large", 413, "request body too large";
    /// The request body did not arrive in time.
    RequestTimeout = "urn:steadfast:too-slow", 408, "request timed out";
    /// The store URL is invalid, or the store has a newer schema.
    WrongStore = "urn:steadfast:wrong-store", 500, "store cannot be opened";
    /// The disk of the store is full.
    StorageFull = "urn:steadfast:full", 507, "disk full";
    /// The store is unreachable.
    Unreachable = "urn:steadfast:unreachable", 503, "store unreachable";
    /// The store failed for a moment. The same request may succeed later.
    Transient = "urn:steadfast:passing", 503, "temporary store failure";
    /// The database is read-only, such as a standby.
    ReadOnly = "urn:steadfast:read-only", 503, "database is read-only";
    /// The server is shutting down.
    Stopping = "urn:steadfast:stopping", 503, "server is shutting down";
    /// The store failed.
    Failed = "urn:steadfast:failed", 500, "store failure";
    /// The server failed.
    Internal = "urn:steadfast:broken", 500, "internal server error";
}

impl ApiError {
    /// A problem of this type.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        let (status, title) = kind.response();
        Self {
            kind,
            title: Cow::Borrowed(title),
            status,
            detail: detail.into(),
            field: None,
            next: None,
            id: None,
            cause: None,
        }
    }

    /// Changes the type of the problem.
    pub(crate) fn of_kind(self, kind: ErrorKind) -> Self {
        let Self { detail, field, next, id, cause, .. } = self;
        Self { field, next, id, cause, ..Self::new(kind, detail) }
    }

    /// Sets the invalid field.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The detail with the database's own message, for operators.
    #[must_use]
    pub fn with_cause(&self) -> Cow<'_, str> {
        match &self.cause {
            Some(cause) => Cow::Owned(format!("{}: {cause}", self.detail)),
            None => Cow::Borrowed(&self.detail),
        }
    }

    /// Sets the advice.
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

impl From<InputError> for ApiError {
    fn from(invalid: InputError) -> Self {
        let field = invalid.field();
        let text = invalid.to_string();
        let detail = text.strip_prefix(field).and_then(|rest| rest.strip_prefix(": "));
        // The store puts the problem and the advice into one sentence.
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
            StoreError::Url { url, problem } => return invalid_url(&url, problem),
            StoreError::NotFound(id) => return not_found(id),
            StoreError::Execution(error) => return execution_error(&error),
            StoreError::Full(_) => (
                ErrorKind::StorageFull,
                "the disk of the store is full",
                "free disk space, then retry",
            ),
            StoreError::Locked(_) => {
                let next = "retry, or stop the process that has locked it";
                (ErrorKind::Unreachable, "another process has locked the store", next)
            }
            StoreError::Unreachable(_) => {
                let next = "check that it is running and that its address is correct";
                (ErrorKind::Unreachable, "the database is unreachable", next)
            }
            ref failed @ StoreError::Database(_) => database_error(failed),
            other => return store_error(&other),
        };
        Self { cause, ..Self::new(kind, detail).next(next) }
    }
}

/// An error that the database reported.
fn database_error(error: &StoreError) -> (ErrorKind, &'static str, &'static str) {
    if error.is_read_only() {
        return (ErrorKind::ReadOnly, "the database is read-only", "use the primary");
    }
    match error.is_retryable() {
        true => (ErrorKind::Transient, "the database failed temporarily", "retry"),
        false => (ErrorKind::Failed, "the database failed", "see the log of the database"),
    }
}

/// An error that the store itself reported.
fn store_error(error: &StoreError) -> ApiError {
    let (kind, next) = match error {
        StoreError::WrongStatus { status, .. } => (ErrorKind::WrongStatus, alternative(*status)),
        StoreError::NewerSchema { .. } => {
            (ErrorKind::WrongStore, "upgrade to the version that wrote it")
        }
        StoreError::Decode { .. } => {
            (ErrorKind::Failed, "restore it from a backup, or cancel the task")
        }
        _ => (ErrorKind::Failed, "see the log of the store"),
    };
    ApiError::new(kind, error.to_string()).next(next)
}

fn execution_error(error: &ExecutionError) -> ApiError {
    let (kind, next) = match error {
        ExecutionError::NotFound(_) => (
            ErrorKind::NotFound,
            "check the id; finished executions are deleted after the retention period",
        ),
        ExecutionError::WrongStatus { action: "cancel", .. } => {
            (ErrorKind::WrongStatus, "only running executions can be cancelled")
        }
        ExecutionError::WrongStatus { action: "resume", .. } => {
            (ErrorKind::WrongStatus, "only failed or cancelled executions can be resumed")
        }
        ExecutionError::WrongStatus { .. } => {
            (ErrorKind::WrongStatus, "only failed or cancelled executions can be retried")
        }
        ExecutionError::Followed { .. } => (ErrorKind::WrongStatus, "use that one"),
        ExecutionError::NoWorkflow(_) => {
            (ErrorKind::NotFound, "list the workflows, or create it first")
        }
        ExecutionError::KeyTaken { .. } => (ErrorKind::KeyTaken, "use a different key"),
        _ => (ErrorKind::Failed, "retry, or start another execution"),
    };
    ApiError::new(kind, error.to_string()).next(next)
}

/// What can be done with a task in this status.
const fn alternative(status: Status) -> &'static str {
    match status {
        Status::Completed | Status::Failed | Status::Cancelled => "to run it again, requeue it",
        Status::Running => "wait for it, or cancel it",
        Status::Pending | Status::Scheduled => "wait for it, or run it now",
    }
}

fn not_found(id: TaskId) -> ApiError {
    ApiError::new(ErrorKind::NotFound, format!("no task {id}"))
        .next("check the id; finished tasks are deleted after the retention period")
}

fn id_taken(id: TaskId) -> ApiError {
    let detail = format!("task {id} already exists with a different kind or payload");
    ApiError::new(ErrorKind::KeyTaken, detail).field("id").next("use a new id, or leave it out")
}

fn key_taken(key: &str, existing: impl fmt::Display) -> ApiError {
    let detail =
        format!("`{key}` was already used for task {existing}, with a different kind or payload");
    ApiError::new(ErrorKind::KeyTaken, detail).field("idempotency_key").next("use a different key")
}

fn invalid_url(url: &str, problem: String) -> ApiError {
    ApiError::new(ErrorKind::WrongStore, format!("cannot open the store `{url}`")).next(problem)
}

#[cfg(test)]
mod tests {
    use steadfast_store::{ExecutionId, ExecutionStatus};

    use super::*;

    /// K4: every store error has a status and advice.
    #[test]
    fn store_error_has_status_and_advice() {
        let id = TaskId::fresh();
        let errors = [
            (StoreError::NotFound(id), 404),
            (StoreError::WrongStatus { id, status: Status::Completed, action: "cancel" }, 409),
            (StoreError::KeyTaken { key: "k".to_owned(), existing: id }, 422),
            (StoreError::IdTaken(id), 422),
            (StoreError::NewerSchema { found: 9, known: 2 }, 500),
            (StoreError::Decode { id, problem: "no policy".to_owned() }, 500),
            (StoreError::timed_out(), 503),
        ];
        for (error, status) in errors {
            let error = ApiError::from(error);
            assert_eq!(error.status, status, "{error}");
            assert!(error.next.is_some(), "{error}");
        }
    }

    /// K4: a rejected action is named with the status that rejects it, and the advice is given once.
    #[test]
    fn rejected_action_is_explained_once() {
        let (id, other) = (ExecutionId::fresh(), ExecutionId::fresh());
        let wrong = |status, action| {
            ApiError::from(StoreError::from(ExecutionError::WrongStatus { id, status, action }))
        };
        assert_eq!(
            wrong(ExecutionStatus::Failed, "cancel").to_string(),
            format!(
                "cannot cancel execution {id}: it has already failed; \
                 only running executions can be cancelled"
            )
        );
        assert_eq!(
            wrong(ExecutionStatus::Completed, "retry").to_string(),
            format!(
                "cannot retry execution {id}: it has already completed; \
                 only failed or cancelled executions can be retried"
            )
        );
        let followed = ExecutionError::Followed { id, next: other };
        assert_eq!(
            ApiError::from(StoreError::from(followed)).to_string(),
            format!("execution {id} was already retried as execution {other}; use that one")
        );
        let taken = ExecutionError::KeyTaken { key: "k1".to_owned(), existing: id };
        assert_eq!(
            ApiError::from(StoreError::from(taken)).to_string(),
            format!(
                "key `k1` was already used for execution {id}, with a different workflow or \
                 trigger; use a different key"
            )
        );
        let task = TaskId::fresh();
        let wrong = |status, action| {
            ApiError::from(StoreError::WrongStatus { id: task, status, action }).detail
        };
        assert_eq!(
            wrong(Status::Cancelled, "cancel"),
            format!("cannot cancel task {task}: it is already cancelled")
        );
        assert_eq!(
            wrong(Status::Failed, "change the expiry of"),
            format!("cannot change the expiry of task {task}: it has already failed")
        );
    }

    /// K4: the database's own message is not sent to clients.
    #[test]
    fn database_message_is_not_serialized() {
        let error = ApiError::from(StoreError::timed_out());
        let cause = error.cause.clone().unwrap();
        assert!(error.to_string().contains(&*cause), "{error}");
        assert!(!serde_json::to_string(&error).unwrap().contains(&*cause));
    }

    /// K4: an invalid value is reported with its field and the valid range.
    #[test]
    fn invalid_value_is_reported_with_field_and_advice() {
        let error =
            ApiError::from(InputError::new("queue", "is 256 bytes long; at most 255 are taken"));
        assert_eq!((error.status, error.field.as_deref()), (400, Some("queue")));
        assert_eq!(error.detail, "is 256 bytes long");
        assert_eq!(error.next.as_deref(), Some("at most 255 are taken"));
    }

    /// H1: a problem of a newer version can be read.
    #[test]
    fn problem_of_unknown_type_is_deserialized_as_other() {
        let newer = r#"{"type":"urn:steadfast:tired","title":"t","status":418,"detail":"d"}"#;
        let read: ApiError = serde_json::from_str(newer).unwrap();
        assert_eq!((read.kind, read.status), (ErrorKind::Other, 418));
    }
}
