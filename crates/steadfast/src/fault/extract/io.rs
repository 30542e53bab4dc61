//! Facts of [`std::io::Error`] (J4).
//!
//! A failed DNS lookup, by [`ToSocketAddrs`](std::net::ToSocketAddrs) or tokio's `lookup_host`, has
//! neither an [`io::ErrorKind`] of its own nor, on Unix, an OS error. There the standard library
//! marks it only by the start of its message.

use std::error::Error;
use std::io;

use crate::fault::{Failure, Fault, Kind};

impl Failure for io::Error {
    fn fault(&self) -> Fault {
        let kind = kind(self.kind()).or_else(|| is_failed_lookup(self).then_some(Kind::Dns));
        Fault { kind, ..Fault::default() }.with_type("std::io::Error")
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        match self.get_ref() {
            Some(carried) => Some(carried),
            None => None,
        }
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn as_error(&self) -> Option<&(dyn Error + 'static)> {
        Some(self)
    }
}

fn kind(kind: io::ErrorKind) -> Option<Kind> {
    Some(match kind {
        io::ErrorKind::TimedOut => Kind::Timeout,
        io::ErrorKind::ConnectionRefused => Kind::ConnectionRefused,
        io::ErrorKind::ConnectionReset => Kind::ConnectionReset,
        io::ErrorKind::ConnectionAborted => Kind::ConnectionAborted,
        io::ErrorKind::NotConnected => Kind::NotConnected,
        io::ErrorKind::BrokenPipe => Kind::BrokenPipe,
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown => Kind::Unreachable,
        io::ErrorKind::UnexpectedEof => Kind::UnexpectedEof,
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Kind::Interrupted,
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Kind::Argument,
        io::ErrorKind::NotFound => Kind::NotFound,
        io::ErrorKind::PermissionDenied => Kind::PermissionDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Kind::StorageFull,
        _ => return None,
    })
}

const FAILED_LOOKUP: &str = "failed to lookup address information";

/// Winsock's errors of name resolution: `WSAHOST_NOT_FOUND`, `WSATRY_AGAIN`, `WSANO_RECOVERY` and
/// `WSANO_DATA`.
const WINSOCK_LOOKUP_ERRORS: std::ops::RangeInclusive<i32> = 11_001..=11_004;

fn is_failed_lookup(error: &io::Error) -> bool {
    match (error.get_ref(), error.raw_os_error()) {
        (Some(carried), _) => carried.to_string().starts_with(FAILED_LOOKUP),
        (None, Some(code)) => cfg!(windows) && WINSOCK_LOOKUP_ERRORS.contains(&code),
        (None, None) => false,
    }
}
