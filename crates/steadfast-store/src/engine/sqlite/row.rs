//! What crosses the line between Rust and SQL: times, ids, and lists as JSON.
//!
//! The driver hands rows over one at a time through a channel, which costs more than SQLite
//! itself takes for one. So what comes in thousands travels as one JSON text in one parameter,
//! or in one column of one row.

use std::time::Duration;

use jiff::Timestamp;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::error::{Result, StoreError};
use crate::task::TaskId;

/// The most rows that are answered as one text: at the longest payloads, still half of the
/// longest text that SQLite makes.
pub(super) const ROWS: usize = 256;

/// A time as rows have it. What is too far away is as far as time goes.
pub(super) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

pub(super) fn timestamp(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX)
}

/// So much later, in the same way.
pub(super) fn after(now: i64, delay: Duration) -> i64 {
    let delay = i64::try_from(delay.as_micros()).unwrap_or(i64::MAX);
    now.saturating_add(delay).min(micros(Timestamp::MAX))
}

/// So much earlier.
pub(super) fn before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX))
}

/// An id as JSON has it: what `hex` writes and `unhex` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Hex(pub(super) TaskId);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut text = [0; uuid::fmt::Simple::LENGTH];
        self.0.uuid().as_simple().encode_upper(&mut text).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(from)?;
        let id = Uuid::try_parse(text).map_err(D::Error::custom)?;
        Ok(Self(TaskId::from(id)))
    }
}

/// A parameter that is a list.
pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Database(encode(error)))
}

/// An answer that is a list.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::Database(decode(error)))
}

/// The ids of a list.
pub(super) fn ids(ids: impl IntoIterator<Item = TaskId>) -> Result<String> {
    json(&ids.into_iter().map(Hex).collect::<Vec<_>>())
}

fn encode(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Encode(Box::new(error))
}

fn decode(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}
