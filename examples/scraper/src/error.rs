//! The errors of the three subsystems, with the names of the policy file.
//!
//! An error holds facts only: the policy file decides about retries.

use std::fmt;
use std::future::Future;
use std::io;
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use steadfast::fault::Family;
use steadfast::{Failure, Fault, GaveUp, Kind, extract};

/// An error of a subsystem.
#[derive(Clone, Debug, PartialEq)]
pub struct ScraperError(Fault);

impl ScraperError {
    /// A timeout.
    pub fn timeout(limit: Duration) -> Self {
        let words = format!("Operation timed out after {} seconds", limit.as_secs_f64());
        Self::of(Kind::Timeout, "TimeoutError", words)
    }

    /// An error of this kind, with its name in the policy file.
    pub fn of(kind: Kind, name: &'static str, words: impl Into<String>) -> Self {
        Self(Fault::of(kind).with_type(name).with_message(words))
    }

    /// An HTTP error response, with its `Retry-After` if any.
    pub fn answer(status: StatusCode, headers: &HeaderMap) -> Self {
        let fault = extract::http_response(status, headers, SystemTime::now());
        let words = format!("the server answered {}", status.as_u16());
        Self(fault.with_type("HttpError").with_message(words))
    }

    /// Chromium's `net::ERR_…`.
    pub fn of_page(text: &str) -> Self {
        let (kind, name) = match text.trim_start_matches("net::ERR_") {
            "CONNECTION_REFUSED" => (Kind::ConnectionRefused, "ConnectionError"),
            "CONNECTION_RESET" => (Kind::ConnectionReset, "ConnectionError"),
            "CONNECTION_CLOSED" | "EMPTY_RESPONSE" | "INCOMPLETE_CHUNKED_ENCODING" => {
                (Kind::UnexpectedEof, "ConnectionError")
            }
            "ADDRESS_UNREACHABLE" | "INTERNET_DISCONNECTED" => (Kind::Unreachable, "NetworkError"),
            "CONNECTION_TIMED_OUT" | "TIMED_OUT" => (Kind::Timeout, "TimeoutError"),
            _ => (Kind::Other, "PageError"),
        };
        Self::of(kind, name, text)
    }

    /// Its name in the policy file.
    pub fn name(&self) -> &str {
        self.0.type_name.as_deref().unwrap_or_default()
    }

    /// The HTTP status, if any.
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }
}

/// Runs a future with a timeout.
pub async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, ScraperError>>,
) -> Result<T, ScraperError> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(ScraperError::timeout(limit)))
}

impl Failure for ScraperError {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

impl fmt::Display for ScraperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.0.message.as_deref().unwrap_or("no words"))
    }
}

impl std::error::Error for ScraperError {}

impl From<reqwest::Error> for ScraperError {
    fn from(error: reqwest::Error) -> Self {
        let fault = extract::failure(&error);
        let name = match fault.kind.map(Kind::family) {
            Some(Family::Timeout) => "TimeoutError",
            Some(Family::Connection) => "ConnectionError",
            _ => "HttpError",
        };
        Self(fault.with_type(name))
    }
}

impl From<io::Error> for ScraperError {
    fn from(error: io::Error) -> Self {
        let fault = extract::failure(&error);
        let full = fault.kind == Some(Kind::StorageFull);
        Self(fault.with_type(if full { "DiskFullError" } else { "OSError" }))
    }
}

/// A session that ended without an error of its last attempt.
impl From<GaveUp> for ScraperError {
    fn from(gave_up: GaveUp) -> Self {
        Self::of(Kind::Cancelled, "GaveUp", gave_up.to_string())
    }
}
