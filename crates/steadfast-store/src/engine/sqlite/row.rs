//! Conversion between rows and values: times, ids, and lists as JSON.
//!
//! The driver passes rows one at a time through a channel, which costs more than SQLite takes for
//! a row. So large lists are one JSON text, in one parameter or in one column of one row.

use std::time::Duration;

use jiff::Timestamp;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::error::Result;
use crate::task::TaskId;

/// The number of rows in one text. With the longest payloads, this is half of SQLite's limit.
pub(super) const MAX_TEXT_ROWS: usize = 256;

/// A time in microseconds.
pub(super) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

pub(super) fn timestamp(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX)
}

/// A later time, at most the latest possible.
pub(super) fn after(now: i64, delay: Duration) -> i64 {
    let delay = i64::try_from(delay.as_micros()).unwrap_or(i64::MAX);
    now.saturating_add(delay).min(micros(Timestamp::MAX))
}

/// An earlier time.
pub(super) fn before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX))
}

/// An id in JSON, as `hex` writes and `unhex` reads it.
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

/// Encodes a value as JSON.
pub(super) fn encode(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(Box::new(error)).into())
}

/// Decodes JSON.
pub(super) fn decode<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)).into())
}

/// A list of ids as JSON.
pub(super) fn ids(ids: impl IntoIterator<Item = TaskId>) -> Result<String> {
    encode(&ids.into_iter().map(Hex).collect::<Vec<_>>())
}
