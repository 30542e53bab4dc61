//! Why a built-in handler did not do what a task asked for.

use std::fmt;

use steadfast::{Failure, Fault, Kind};

/// Why a built-in handler did not do what a task asked for, as facts.
///
/// | what happened | its facts |
/// |---|---|
/// | the payload makes no sense | kind `argument`: final |
/// | it is not allowed here | kind `permission_denied`: nothing decides, so final |
/// | the program is not there | kind `not_found`: nothing decides, so final |
/// | an HTTP answer that is no success | its status, and its `Retry-After` |
/// | no HTTP answer | what the client saw: refused, reset, timed out; sent or not |
/// | a program that failed | its exit code, 128 + n after signal n |
/// | too slow | kind `timeout`, with an unknown outcome |
///
/// The words are without the secrets that the call was given (O5).
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerFault(Box<Fault>);

impl HandlerFault {
    pub(super) fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self(Box::new(fault.with_message(message)))
    }

    /// A field of the payload makes no sense.
    pub(super) fn invalid(field: &str, problem: impl fmt::Display) -> Self {
        Self::new(Fault::of(Kind::Argument), format!("payload.{field}: {problem}"))
    }

    /// The payload makes no sense as a whole.
    pub(super) fn invalid_payload(problem: impl fmt::Display) -> Self {
        Self::new(Fault::of(Kind::Argument), format!("payload: {problem}"))
    }

    /// It makes sense, and is not allowed here.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(Fault::of(Kind::PermissionDenied), message)
    }
}

impl Failure for HandlerFault {
    fn fault(&self) -> Fault {
        (*self.0).clone()
    }

    fn message(&self) -> Option<String> {
        self.0.message.clone()
    }
}

impl fmt::Display for HandlerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.message.as_deref().unwrap_or_default().fmt(f)
    }
}

impl std::error::Error for HandlerFault {}
