//! Facts of [`std::io::Error`] (J4).

use std::error::Error;
use std::io;

use crate::fault::{Failure, Fault, Kind};

impl Failure for io::Error {
    fn fault(&self) -> Fault {
        Fault { kind: kind(self.kind()), ..Fault::default() }.with_type("std::io::Error")
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
