//! Error codes of other systems: SQLSTATE and gRPC status.

use std::fmt;
use std::str::FromStr;

use super::kind::UnknownNameError;
use crate::named_enum::named_enum;
use crate::text;

/// A SQLSTATE: five characters, the first two of which are its class.
///
/// Some drivers report only the class, so two to five characters are accepted; fewer, or any
/// character other than letters and digits, are not (J3).
///
/// ```
/// use steadfast::SqlState;
///
/// let deadlock = SqlState::new("40p01").unwrap();
/// assert_eq!(deadlock.as_str(), "40P01");
/// assert_eq!(deadlock.class(), "40");
/// assert_eq!(SqlState::new("4"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SqlState {
    bytes: [u8; 5],
    length: u8,
}

impl SqlState {
    /// Parses a SQLSTATE; nothing if the text is not one.
    #[must_use]
    pub const fn new(text: &str) -> Option<Self> {
        let text = text.trim_ascii();
        if text.len() < 2 || text.len() > 5 {
            return None;
        }
        let mut bytes = [0; 5];
        let mut rest = text.as_bytes();
        let mut space: &mut [u8] = &mut bytes;
        while let ([from, others @ ..], [to, left @ ..]) = (rest, space) {
            if !from.is_ascii_alphanumeric() {
                return None;
            }
            *to = from.to_ascii_uppercase();
            (rest, space) = (others, left);
        }
        Some(Self { bytes, length: text.len() as u8 })
    }

    /// The message for an invalid SQLSTATE.
    #[doc(hidden)]
    pub const UNREADABLE: &'static str =
        "not a SQLSTATE (five letters or digits) or a SQLSTATE class (its first two)";

    /// The code as text, in capitals.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.prefix(usize::from(self.length))
    }

    /// The first two characters.
    #[must_use]
    pub fn class(&self) -> &str {
        self.prefix(2)
    }

    fn prefix(&self, length: usize) -> &str {
        self.bytes.get(..length).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl fmt::Display for SqlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Debug for SqlState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

macro_rules! grpc_codes {
    ($($code:ident = $number:literal, $name:tt;)*) => {
        named_enum! {
            /// The status codes of gRPC.
            ///
            /// ```
            /// assert_eq!(steadfast::GrpcCode::Unavailable.name(), "UNAVAILABLE");
            /// ```
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
            #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = GrpcStatus, description = "The name of a gRPC status code."))]
            #[allow(missing_docs, reason = "the names are gRPC's own")]
            pub enum GrpcCode by name {
                $($code = $name,)*
            }
        }

        impl GrpcCode {
            /// The code of this name, in upper or lower case.
            #[must_use]
            pub const fn named(name: &str) -> Option<Self> {
                $(if text::same_ignoring_case(name, $name) {
                    return Some(Self::$code);
                })*
                None
            }

            /// The message for an unknown name.
            #[doc(hidden)]
            pub const UNKNOWN: &'static str =
                concat!("no such gRPC status code; the codes are ", text::listed!($($name,)*));

            pub(crate) const fn rule(self) -> &'static str {
                match self { $(Self::$code => concat!("grpc:", $name),)* }
            }

            /// The code with this number.
            #[must_use]
            pub const fn from_number(number: i32) -> Option<Self> {
                match number { $($number => Some(Self::$code),)* _ => None }
            }
        }
    };
}

grpc_codes! {
    Ok = 0, "OK";
    Cancelled = 1, "CANCELLED";
    Unknown = 2, "UNKNOWN";
    InvalidArgument = 3, "INVALID_ARGUMENT";
    DeadlineExceeded = 4, "DEADLINE_EXCEEDED";
    NotFound = 5, "NOT_FOUND";
    AlreadyExists = 6, "ALREADY_EXISTS";
    PermissionDenied = 7, "PERMISSION_DENIED";
    ResourceExhausted = 8, "RESOURCE_EXHAUSTED";
    FailedPrecondition = 9, "FAILED_PRECONDITION";
    Aborted = 10, "ABORTED";
    OutOfRange = 11, "OUT_OF_RANGE";
    Unimplemented = 12, "UNIMPLEMENTED";
    Internal = 13, "INTERNAL";
    Unavailable = 14, "UNAVAILABLE";
    DataLoss = 15, "DATA_LOSS";
    Unauthenticated = 16, "UNAUTHENTICATED";
}

impl From<GrpcCode> for i32 {
    fn from(code: GrpcCode) -> Self {
        code as Self
    }
}

/// ```
/// assert!("SOON".parse::<steadfast::GrpcCode>().is_err());
/// ```
impl FromStr for GrpcCode {
    type Err = UnknownNameError;

    fn from_str(name: &str) -> Result<Self, UnknownNameError> {
        Self::named(name).ok_or(UnknownNameError)
    }
}
