//! The name of a session.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// Names one session in logs, events, records and to whoever wants to cancel it (I6).
///
/// A UUID of version 7: no two are alike, and later ones sort after earlier ones.
///
/// ```
/// use steadfast::observe::SessionId;
///
/// let id = SessionId::fresh();
/// assert_ne!(id, SessionId::fresh());
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert!("the last one".parse::<SessionId>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Uuid);

impl SessionId {
    /// A name that no other session has.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({self})")
    }
}

/// The text names no session: it is not a UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSessionId;

impl fmt::Display for NoSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the id of a session: it is no UUID")
    }
}

impl std::error::Error for NoSessionId {}

impl FromStr for SessionId {
    type Err = NoSessionId;

    fn from_str(text: &str) -> Result<Self, NoSessionId> {
        Uuid::try_parse(text).map(Self).map_err(|_| NoSessionId)
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A name that no other event has.
pub(super) fn event_id() -> String {
    format!("evt_{}", Uuid::now_v7().simple())
}
