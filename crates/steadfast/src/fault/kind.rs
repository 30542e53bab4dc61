//! The kinds of failure.

use std::str::FromStr;

use crate::named_enum::named_enum;
use crate::text;

/// A group of kinds that one rule can match.
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
    /// A timeout.
    Timeout,
    /// A connection could not be established, or broke.
    Connection,
    /// No connection was available in the pool.
    Pool,
    /// A TLS failure.
    Tls,
    /// The request itself is invalid.
    Request,
    /// None of the above.
    Other,
}

impl Family {
    /// The family's name in a rule.
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
    ($($(#[doc = $doc:literal])* $kind:ident = $name:tt, $family:ident;)*) => {
        named_enum! {
            /// The kind of a failure.
            ///
            /// ```
            /// assert_eq!(steadfast::Kind::ConnectionReset.name(), "connection_reset");
            /// ```
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
            #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = FaultKind, description = "The kind of a fault."))]
            #[non_exhaustive]
            pub enum Kind by name {
                $($(#[doc = $doc])* $kind = $name,)*
            }
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

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

            /// The message for an unknown name.
            #[doc(hidden)]
            pub const UNKNOWN: &'static str =
                concat!("unknown kind; expected one of ", text::listed!($($name,)*));

            /// The family of the kind.
            #[must_use]
            pub const fn family(self) -> Family {
                match self { $(Self::$kind => Family::$family,)* }
            }
        }
    };
}

kinds! {
    /// A timeout.
    Timeout = "timeout", Timeout;
    /// Another failure of a connection.
    Connection = "connection_failed", Connection;
    /// The connection was refused.
    ConnectionRefused = "connection_refused", Connection;
    /// The other side reset the connection.
    ConnectionReset = "connection_reset", Connection;
    /// The connection was aborted.
    ConnectionAborted = "connection_aborted", Connection;
    /// The connection is closed.
    NotConnected = "not_connected", Connection;
    /// The other side has closed its reading end.
    BrokenPipe = "broken_pipe", Connection;
    /// The host or network is unreachable.
    Unreachable = "unreachable", Connection;
    /// The response ended early.
    UnexpectedEof = "unexpected_eof", Connection;
    /// A host name could not be resolved.
    Dns = "dns", Connection;
    /// Timed out waiting for a pooled connection.
    PoolTimeout = "pool_timeout", Pool;
    /// The pool has no connection left.
    PoolExhausted = "pool_exhausted", Pool;
    /// A TLS read or write would block.
    TlsWouldBlock = "tls_would_block", Tls;
    /// The certificate is invalid.
    TlsCertificate = "tls_certificate", Tls;
    /// The certificate is for another host.
    TlsHostname = "tls_hostname", Tls;
    /// No common TLS version.
    TlsProtocol = "tls_protocol", Tls;
    /// Another TLS failure.
    Tls = "tls_failed", Tls;
    /// An invalid query.
    Query = "query", Request;
    /// A syntax error.
    Syntax = "syntax", Request;
    /// Invalid data.
    Data = "data", Request;
    /// An invalid argument.
    Argument = "argument", Request;
    /// It would block, or was interrupted.
    Interrupted = "interrupted", Other;
    /// A lock is held by another client.
    Busy = "busy", Other;
    /// The worker stopped renewing its lease.
    WorkerLost = "worker_lost", Other;
    /// The resource does not exist.
    NotFound = "not_found", Other;
    /// Permission denied.
    PermissionDenied = "permission_denied", Other;
    /// The disk is full.
    StorageFull = "storage_full", Other;
    /// The operation returned a rejected value (I3).
    ValueRejected = "value_rejected", Other;
    /// The operation was cancelled.
    Cancelled = "cancelled", Other;
    /// Any other failure.
    Other = "other", Other;
}

/// The text is not the name of a kind or a code.
///
/// ```
/// use steadfast::Kind;
///
/// assert!("soon".parse::<Kind>().is_err(), "UnknownNameError");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownNameError;

impl FromStr for Kind {
    type Err = UnknownNameError;

    fn from_str(name: &str) -> Result<Self, UnknownNameError> {
        Self::named(name).ok_or(UnknownNameError)
    }
}
