//! The errors of the client, with their facts.
//!
//! Facts only: the rules decide about retries (their table is a test). ClickHouse responds to bad data
//! with status 500, so its own error code takes precedence over the status.

use std::io;
use std::time::SystemTime;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use steadfast::{Failure, Fault, Kind, extract};

/// Why a request failed.
#[derive(Debug, thiserror::Error, Fault)]
pub enum Error {
    /// The request is invalid, such as a table name that a URL cannot contain.
    #[error("invalid request: {0}")]
    #[fault(kind = "argument")]
    Request(#[from] hyper::http::Error),
    /// All connections of the pool stayed in use.
    #[error("no connection became free in time")]
    #[fault(kind = "pool_timeout")]
    PoolTimeout,
    /// The connection could not be opened.
    #[error("no connection: {0}")]
    #[fault(transparent)]
    Connect(io::Error),
    /// The connection was lost during the request.
    #[error("connection lost: {0}")]
    #[fault(transparent)]
    Lost(hyper::Error),
    /// The server rejected the request.
    #[error("{0}")]
    #[fault(transparent)]
    Refused(Refusal),
}

/// A response with an error.
#[derive(Debug, thiserror::Error)]
#[error("HTTP {status}: {message}")]
pub struct Refusal {
    status: StatusCode,
    /// ClickHouse's own error code.
    code: Option<u32>,
    message: String,
    facts: Fault,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let message = String::from_utf8_lossy(body).trim().chars().take(300).collect::<String>();
        let facts = extract::http_response(status, headers, SystemTime::now());
        Self { status, code: code_in(&message), message, facts }
    }

    /// ClickHouse's own error code, if the response is from ClickHouse.
    pub fn code(&self) -> Option<u32> {
        self.code
    }
}

impl Failure for Refusal {
    fn fault(&self) -> Fault {
        let mut fault = self.facts.clone();
        match self.code {
            // Rejected because an earlier attempt is still running; its outcome is unknown.
            Some(QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING) => fault.unknown_outcome = true,
            Some(code) => fault.kind = kind(code),
            None => {}
        }
        fault
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

const QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: u32 = 216;

/// The codes that mean that the request itself is wrong, from ClickHouse's `ErrorCodes`.
fn kind(code: u32) -> Option<Kind> {
    match code {
        62 => Some(Kind::Syntax),
        6 | 26 | 27 | 33 | 38 | 41 | 69 | 70 | 72 | 117 => Some(Kind::Data),
        8 | 10 | 16 | 20 | 36 | 42 | 43 | 44 | 46 | 47 | 53 | 57 | 60 | 63 | 73 | 81 | 82 | 115
        | 395 => Some(Kind::Query),
        _ => None,
    }
}

/// `Code: 62, e.displayText() = …`, or with a full stop in newer versions.
fn code_in(message: &str) -> Option<u32> {
    let rest = message.strip_prefix("Code: ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}
