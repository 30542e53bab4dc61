//! Codes that other systems answer with: SQLSTATE and gRPC status.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A SQLSTATE: five characters, the first two of which are its class.
///
/// Drivers exist that report only the class, so two to five characters are a
/// fact; fewer, or anything that is not a letter or a digit, is none (J3).
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
    /// Reads a SQLSTATE, or nothing if the text is none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        if !(2..=5).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return None;
        }
        let mut bytes = [0; 5];
        for (to, from) in bytes.iter_mut().zip(text.bytes()) {
            *to = from.to_ascii_uppercase();
        }
        Some(Self { bytes, length: text.len() as u8 })
    }

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

impl Serialize for SqlState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A text that is no SQLSTATE is no fact, rather than an error (J3).
pub(super) fn lenient_sqlstate<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SqlState>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| SqlState::new(&text)))
}

macro_rules! grpc_codes {
    ($($code:ident = $number:literal, $name:literal;)*) => {
        /// The status codes of gRPC.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the names are gRPC's own")]
        pub enum GrpcCode {
            $(#[serde(rename = $name)] $code = $number,)*
        }

        impl GrpcCode {
            const ALL: &'static [Self] = &[$(Self::$code,)*];

            /// The code's name, as gRPC spells it.
            ///
            /// ```
            /// assert_eq!(steadfast::GrpcCode::Unavailable.name(), "UNAVAILABLE");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }

            /// The code as a rule names it.
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

impl fmt::Display for GrpcCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

/// The text names no gRPC status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownGrpcCode;

impl FromStr for GrpcCode {
    type Err = UnknownGrpcCode;

    fn from_str(name: &str) -> Result<Self, UnknownGrpcCode> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.name().eq_ignore_ascii_case(name))
            .ok_or(UnknownGrpcCode)
    }
}
