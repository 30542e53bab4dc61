//! The error of a built-in handler.

use std::fmt;

use steadfast::{Failure, Fault, Kind};

/// The error of a built-in handler, with the facts that policies classify.
///
/// | error | facts |
/// |---|---|
/// | invalid payload | kind `argument`: final |
/// | not allowed on this worker | kind `permission_denied`: final by default |
/// | program not found | kind `not_found`: final by default |
/// | HTTP response without success | its status and its retry signals, such as `Retry-After` |
/// | no HTTP response | the client's error: refused, reset, timed out; sent or not |
/// | program failed | its exit code, 128 + n after signal n |
/// | timeout | kind `timeout`, with an unknown outcome |
///
/// The message is redacted: it contains no secrets of the call (O5).
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerError(Box<Fault>);

impl HandlerError {
    pub(super) fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self(Box::new(fault.with_message(message)))
    }

    /// A field of the payload is invalid.
    pub(super) fn invalid(field: &str, problem: impl fmt::Display) -> Self {
        Self::new(Fault::of(Kind::Argument), format!("payload.{field}: {problem}"))
    }

    /// The payload as a whole is invalid.
    pub(super) fn invalid_payload(problem: impl fmt::Display) -> Self {
        Self::new(Fault::of(Kind::Argument), format!("payload: {problem}"))
    }

    /// The call is valid, but not allowed on this worker.
    pub(super) fn rejected(message: impl Into<String>) -> Self {
        Self::new(Fault::of(Kind::PermissionDenied), message)
    }
}

impl Failure for HandlerError {
    fn fault(&self) -> Fault {
        (*self.0).clone()
    }

    fn message(&self) -> Option<String> {
        self.0.message.clone()
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.message.as_deref().unwrap_or_default().fmt(f)
    }
}

impl std::error::Error for HandlerError {}
