//! Facts of [`reqwest::Error`].
//!
//! A request that was not sent cannot have taken effect; a request that was sent may have (J2).
//! Reqwest distinguishes the two for connecting, hyper for the rest.

use std::io;

use super::find;
use super::transport_cause::{TRANSPORT, transport_cause};
use crate::fault::chain::{cause_of, links};
use crate::fault::{Failure, Fault, Kind, MAX_CAUSES};

impl Failure for reqwest::Error {
    fn fault(&self) -> Fault {
        let fault = match self.status() {
            Some(status) => Fault::http(status.as_u16()),
            None => unanswered(self),
        };
        fault.with_type("reqwest::Error")
    }

    cause_and_message!();
}

/// The fault of a request without a complete response.
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
    match transport_cause(error, TRANSPORT) {
        Some(fault) if error.is_request() => fault,
        Some(fault) => fault.with_unknown_outcome(),
        None if error.is_decode() => Fault::of(Kind::Data),
        None => Fault::of(Kind::Connection).with_unknown_outcome(),
    }
}

/// Why no connection could be established.
fn unconnected(error: &reqwest::Error) -> Kind {
    if error.is_timeout() {
        return Kind::Timeout;
    }
    match transport_cause(error, TRANSPORT).and_then(|fault| fault.kind) {
        Some(kind) => kind,
        None if failed_handshake(error) => Kind::Tls,
        None => Kind::Connection,
    }
}

/// Whether the TLS handshake failed: the connection was established and then carried invalid data.
/// This works without the `rustls` feature, because an invalid certificate must never be mistaken for
/// a broken connection (J5).
fn failed_handshake(error: &reqwest::Error) -> bool {
    links(cause_of(error))
        .take(MAX_CAUSES)
        .filter_map(find::<io::Error>)
        .any(|error| error.kind() == io::ErrorKind::InvalidData)
}
