//! The sorts of failure that rules can name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text;

/// A group of kinds that a rule can name with one word.
///
/// ```
/// use steadfast::Kind;
/// use steadfast::fault::Family;
///
/// assert_eq!(Kind::ConnectionReset.family(), Family::Connection);
/// let pool = Kind::ALL.iter().filter(|kind| kind.family() == Family::Pool);
/// assert_eq!(pool.count(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Something took too long.
    Timeout,
    /// The connection could not be made, or broke.
    Connection,
    /// No connection could be had from the pool.
    Pool,
    /// The secure channel could not be made, or broke.
    Tls,
    /// The request itself is wrong.
    Request,
    /// None of the above.
    Other,
}

impl Family {
    /// The family's name in a rule. Only the first four can be named.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Pool => "pool",
            Self::Tls => "tls",
            Self::Request => "request",
            Self::Other => "other",
        }
    }

    pub(crate) const fn named(name: &str) -> Option<Self> {
        Some(match name.as_bytes() {
            b"timeout" => Self::Timeout,
            b"connection" => Self::Connection,
            b"pool" => Self::Pool,
            b"tls" => Self::Tls,
            b"request" => Self::Request,
            _ => return None,
        })
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $name:literal, $family:ident;)*) => {
        /// What sort of failure it was.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[doc = $doc])* #[serde(rename = $name)] $kind,)*
        }

        impl Kind {
            /// Every kind there is.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Its name in rules and in JSON.
            ///
            /// ```
            /// assert_eq!(steadfast::Kind::ConnectionReset.name(), "connection_reset");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// The kind of this name.
            ///
            /// ```
            /// use steadfast::Kind;
            ///
            /// const SLOW: Option<Kind> = Kind::named("timeout");
            /// assert_eq!(SLOW, Some(Kind::Timeout));
            /// ```
            #[must_use]
            pub const fn named(name: &str) -> Option<Self> {
                $(if text::same(name, $name) {
                    return Some(Self::$kind);
                })*
                None
            }

            /// What is said of a name that no kind has.
            #[doc(hidden)]
            pub const UNKNOWN: &'static str =
                concat!("no such kind; the kinds are ", text::listed!($($name,)*));

            /// The group it belongs to.
            #[must_use]
            pub const fn family(self) -> Family {
                match self { $(Self::$kind => Family::$family,)* }
            }
        }
    };
}

kinds! {
    /// Something took too long.
    Timeout = "timeout", Timeout;
    /// A connection failed in a way that has no name of its own.
    Connection = "connection_failed", Connection;
    /// Nobody listens there.
    ConnectionRefused = "connection_refused", Connection;
    /// The other side reset the connection.
    ConnectionReset = "connection_reset", Connection;
    /// The connection was given up.
    ConnectionAborted = "connection_aborted", Connection;
    /// The connection is not there any more.
    NotConnected = "not_connected", Connection;
    /// The other side no longer reads.
    BrokenPipe = "broken_pipe", Connection;
    /// No way leads there.
    Unreachable = "unreachable", Connection;
    /// The answer stopped in the middle.
    UnexpectedEof = "unexpected_eof", Connection;
    /// Waited too long for a connection of the pool.
    PoolTimeout = "pool_timeout", Pool;
    /// The pool has no connection left.
    PoolExhausted = "pool_exhausted", Pool;
    /// A read or write of a secure channel would block.
    TlsWouldBlock = "tls_would_block", Tls;
    /// The certificate is not to be trusted.
    TlsCertificate = "tls_certificate", Tls;
    /// The certificate is for another host.
    TlsHostname = "tls_hostname", Tls;
    /// No common version of the protocol.
    TlsProtocol = "tls_protocol", Tls;
    /// Another failure of the secure channel.
    Tls = "tls_failed", Tls;
    /// A query that is wrong.
    Query = "query", Request;
    /// A syntax error.
    Syntax = "syntax", Request;
    /// Data that does not fit.
    Data = "data", Request;
    /// An argument that makes no sense.
    Argument = "argument", Request;
    /// It would block, or was interrupted.
    Interrupted = "interrupted", Other;
    /// Somebody else holds the lock.
    Busy = "busy", Other;
    /// Whoever worked on it was not heard of any more.
    WorkerLost = "worker_lost", Other;
    /// There is no such thing.
    NotFound = "not_found", Other;
    /// It is not allowed.
    PermissionDenied = "permission_denied", Other;
    /// The disk is full.
    StorageFull = "storage_full", Other;
    /// The operation returned a value, but not one that will do (I3).
    ValueRejected = "value_rejected", Other;
    /// The operation was called off.
    Cancelled = "cancelled", Other;
    /// A failure of another sort.
    Other = "other", Other;
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

/// The text names no kind.
///
/// ```
/// use steadfast::Kind;
///
/// assert!("soon".parse::<Kind>().is_err(), "UnknownKind");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownKind;

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::named(name).ok_or(UnknownKind)
    }
}
