//! Facts of [`hyper::Error`].
//!
//! Hyper's errors are about an established connection, so it may have broken after the request was
//! sent (J2). The exceptions are errors that mean that the request never reached the connection.

use super::transport_cause::{SOCKET, transport_cause};
use crate::fault::{Failure, Fault, Kind};

impl Failure for hyper::Error {
    fn fault(&self) -> Fault {
        let fault = match unsent(self) {
            Some(kind) => Fault::of(kind),
            None if self.is_parse() => Fault::of(Kind::Data),
            None => Fault::of(broken(self)).with_unknown_outcome(),
        };
        fault.with_type("hyper::Error")
    }

    cause_and_message!();
}

/// Why the request was not sent, if it was not.
///
/// Hyper calls a connection that was closed before it accepted the request "canceled" or "closed";
/// no caller cancelled anything.
fn unsent(error: &hyper::Error) -> Option<Kind> {
    if error.is_canceled() || error.is_closed() {
        return Some(Kind::NotConnected);
    }
    error.is_user().then(|| socket(error).unwrap_or(Kind::Argument))
}

fn broken(error: &hyper::Error) -> Kind {
    if error.is_timeout() {
        return Kind::Timeout;
    }
    if error.is_incomplete_message() {
        return Kind::UnexpectedEof;
    }
    socket(error).unwrap_or(Kind::Connection)
}

fn socket(error: &hyper::Error) -> Option<Kind> {
    transport_cause(error, SOCKET).and_then(|fault| fault.kind)
}
