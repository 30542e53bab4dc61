//! The errors of the client, with their facts.
//!
//! Facts only: whether to try again is for the rules (the table of them is a test). ClickHouse needs
//! some translating. It answers bad data with 500, as if it were itself to blame, so what its
//! own error code says comes before what the status says.

use std::io;
use std::time::SystemTime;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use steadfast::{Failure, Fault, Kind, extract};

/// Why a request was not answered with a success.
#[derive(Debug, thiserror::Error, Fault)]
pub enum Error {
    /// The request cannot be written: a table's name, say, that no URL can hold.
    #[error("no request: {0}")]
    #[fault(kind = "argument")]
    Request(#[from] hyper::http::Error),
    /// All connections of the pool stayed in use.
    #[error("no connection became free in time")]
    #[fault(kind = "pool_timeout")]
    PoolTimeout,
    /// There was nobody to send the request to.
    #[error("no connection: {0}")]
    #[fault(transparent)]
    Connect(io::Error),
    /// The connection broke under the request.
    #[error("connection lost: {0}")]
    #[fault(transparent)]
    Lost(hyper::Error),
    /// The server answered that it will not.
    #[error("{0}")]
    #[fault(transparent)]
    Refused(Refusal),
}

/// An answer that says no.
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

    /// ClickHouse's own error code, if it was ClickHouse that answered.
    pub fn code(&self) -> Option<u32> {
        self.code
    }
}

impl Failure for Refusal {
    fn fault(&self) -> Fault {
        let mut fault = self.facts.clone();
        match self.code {
            // Refused because an earlier attempt is still at work: how will that end?
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
