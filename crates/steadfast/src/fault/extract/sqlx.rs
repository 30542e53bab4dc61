//! Facts of [`sqlx::Error`] (J3, J4, J7).

use std::error::Error;
use std::io;

use sqlx::error::DatabaseError;

use super::transport_cause::{SOCKET, beneath};
use super::{find, sqlite};
use crate::fault::{Failure, Fault, Kind};

/// What sqlx says when a server of PostgreSQL goes away before it has answered whether it speaks
/// TLS: it takes the end of the stream for a zero. Nothing has been asked of it yet.
const NO_ANSWER: &str = "unexpected response from SSLRequest: 0x00";

/// An error of the database is found by itself, too: a transparent wrapper
/// leaves out the `sqlx::Error` around it.
pub(super) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<sqlx::Error>(error)
        .map(Failure::fault)
        .or_else(|| error.downcast_ref::<Box<dyn DatabaseError>>().map(Failure::fault))
}

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

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
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

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// SQLite's codes are numbers of at most four digits, and `2067` is not class 20.
fn is_sqlstate(code: &str) -> bool {
    code.len() == 5
}

/// Sqlx does not say whether the connection broke while it was made or while a
/// statement was under way, so all but the failures to connect may have taken
/// effect (J2).
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
        // Somebody closed it, and a closed pool does not open again.
        sqlx::Error::PoolClosed => Kind::Cancelled,
        sqlx::Error::RowNotFound => Kind::NotFound,
        sqlx::Error::Configuration(_) | sqlx::Error::InvalidArgument(_) => Kind::Argument,
        sqlx::Error::TypeNotFound { .. }
        | sqlx::Error::ColumnNotFound(_)
        | sqlx::Error::ColumnIndexOutOfBounds { .. }
        | sqlx::Error::InvalidSavePointStatement
        | sqlx::Error::BeginFailed => Kind::Query,
        sqlx::Error::Protocol(message) if message == NO_ANSWER => Kind::UnexpectedEof,
        sqlx::Error::Encode(_)
        | sqlx::Error::Decode(_)
        | sqlx::Error::ColumnDecode { .. }
        | sqlx::Error::Protocol(_) => Kind::Data,
        _ => return None,
    })
}

/// Why there was no secure channel: the connection under it can have broken, too.
fn handshake(error: &sqlx::Error) -> Kind {
    beneath(error, SOCKET).and_then(|fault| fault.kind).unwrap_or(Kind::Tls)
}
