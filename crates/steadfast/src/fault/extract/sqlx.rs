//! Facts of [`sqlx::Error`] (J3, J4, J7).

use std::io;

use sqlx::error::DatabaseError;

use super::sqlite;
use super::transport_cause::{SOCKET, transport_cause};
use crate::fault::{Failure, Fault, Kind};

/// The message of sqlx when a PostgreSQL server closes the connection before it answers the request
/// for TLS: sqlx reads the end of the stream as a zero. No statement has been sent yet.
const TLS_REQUEST_UNANSWERED: &str = "unexpected response from SSLRequest: 0x00";

impl Failure for sqlx::Error {
    fn fault(&self) -> Fault {
        let fault = match self {
            Self::Database(error) => error.fault(),
            Self::Io(error) => broken(error),
            Self::WorkerCrashed => Fault::of(Kind::Connection).with_unknown_outcome(),
            _ => Fault { kind: kind(self), ..Fault::default() },
        };
        fault.with_type("sqlx::Error")
    }

    cause_and_message!();
}

impl Failure for dyn DatabaseError {
    fn fault(&self) -> Fault {
        let code = self.code().unwrap_or_default();
        let fault = if is_sqlstate(&code) {
            Fault::sql(&code)
        } else {
            Fault { kind: code.parse().ok().and_then(sqlite::kind), ..Fault::default() }
        };
        fault.with_type("sqlx::error::DatabaseError")
    }

    cause_and_message!();
}

/// SQLite's codes are numbers of up to four digits: `2067` is not class 20.
fn is_sqlstate(code: &str) -> bool {
    code.len() == 5
}

/// Sqlx does not report whether the connection broke while connecting or during a statement, so all
/// failures except those to connect may have taken effect (J2).
fn broken(error: &io::Error) -> Fault {
    let fault = error.fault();
    match fault.kind {
        Some(
            Kind::Timeout
            | Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::NotConnected
            | Kind::BrokenPipe
            | Kind::UnexpectedEof,
        ) => fault.with_unknown_outcome(),
        _ => fault,
    }
}

fn kind(error: &sqlx::Error) -> Option<Kind> {
    Some(match error {
        sqlx::Error::Tls(_) => handshake(error),
        sqlx::Error::PoolTimedOut => Kind::PoolTimeout,
        // A closed pool never reopens.
        sqlx::Error::PoolClosed => Kind::Cancelled,
        sqlx::Error::RowNotFound => Kind::NotFound,
        sqlx::Error::Configuration(_) | sqlx::Error::InvalidArgument(_) => Kind::Argument,
        sqlx::Error::TypeNotFound { .. }
        | sqlx::Error::ColumnNotFound(_)
        | sqlx::Error::ColumnIndexOutOfBounds { .. }
        | sqlx::Error::InvalidSavePointStatement
        | sqlx::Error::BeginFailed => Kind::Query,
        sqlx::Error::Protocol(message) if message == TLS_REQUEST_UNANSWERED => Kind::UnexpectedEof,
        sqlx::Error::Encode(_)
        | sqlx::Error::Decode(_)
        | sqlx::Error::ColumnDecode { .. }
        | sqlx::Error::Protocol(_) => Kind::Data,
        _ => return None,
    })
}

/// The kind of a failed TLS handshake; the connection below may have broken as well.
fn handshake(error: &sqlx::Error) -> Kind {
    transport_cause(error, SOCKET).and_then(|fault| fault.kind).unwrap_or(Kind::Tls)
}
