//! Facts of [`reqwest::Error`].
//!
//! What matters most is how far the request got: before it was sent it cannot
//! have taken effect, after that it may have (J2). Reqwest tells the two apart
//! for connecting; for the rest hyper does.

use std::error::Error;
use std::io;

use super::find;
use super::transport_cause::{TRANSPORT, beneath};
use crate::fault::chain::{cause_of, links};
use crate::fault::{Failure, Fault, Kind, MAX_CAUSES};

pub(super) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<reqwest::Error>(error).map(Failure::fault)
}

impl Failure for reqwest::Error {
    fn fault(&self) -> Fault {
        let fault = match self.status() {
            Some(status) => Fault::http(status.as_u16()),
            None => unanswered(self),
        };
        fault.with_type("reqwest::Error")
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A request without an answer, or without the whole of it.
fn unanswered(error: &reqwest::Error) -> Fault {
    if error.is_builder() {
        return Fault::of(Kind::Argument);
    }
    if error.is_redirect() {
        return Fault::of(Kind::Data);
    }
    if error.is_connect() {
        return Fault::of(unconnected(error));
    }
    if error.is_timeout() {
        return Fault::of(Kind::Timeout).with_unknown_outcome();
    }
    match beneath(error, TRANSPORT) {
        Some(fault) if error.is_request() => fault,
        Some(fault) => fault.with_unknown_outcome(),
        None if error.is_decode() => Fault::of(Kind::Data),
        None => Fault::of(Kind::Connection).with_unknown_outcome(),
    }
}

/// Why there was no connection to send anything over.
fn unconnected(error: &reqwest::Error) -> Kind {
    if error.is_timeout() {
        return Kind::Timeout;
    }
    match beneath(error, TRANSPORT).and_then(|fault| fault.kind) {
        Some(kind) => kind,
        None if failed_handshake(error) => Kind::Tls,
        None => Kind::Connection,
    }
}

/// A connection that was made and then found to carry invalid data failed in
/// its TLS handshake. That much can be told without the `rustls` feature, and
/// must be: a bad certificate is not to be taken for a bad connection (J5).
fn failed_handshake(error: &reqwest::Error) -> bool {
    links(cause_of(error))
        .take(MAX_CAUSES)
        .filter_map(find::<io::Error>)
        .any(|error| error.kind() == io::ErrorKind::InvalidData)
}
