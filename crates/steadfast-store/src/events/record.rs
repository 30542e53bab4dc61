//! Records of sessions and events of processes (O1).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A session.
    Session,
    /// An event.
    Event,
}

impl RecordKind {
    pub(crate) const ALL: [Self; 2] = [Self::Session, Self::Event];

    /// Its name in rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Event => "event",
        }
    }
}

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number, which only grows; `None` before it is written.
    pub number: Option<i64>,
    /// The time at which it was stored; `None` before.
    pub at: Option<Timestamp>,
    /// Its kind.
    pub kind: RecordKind,
    /// The record itself.
    pub body: Value,
}

impl Record {
    /// A record to be written.
    #[must_use]
    pub const fn new(kind: RecordKind, body: Value) -> Self {
        Self { number: None, at: None, kind, body }
    }
}
