//! Conversion between rows and values: times, ids, and lists as JSON.
//!
//! The driver passes rows one at a time through a channel, which costs more than SQLite takes for
//! a row. So large lists are one JSON text, in one parameter or in one column of one row.

use std::time::Duration;

use jiff::Timestamp;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::{Serialize, Serializer};
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Row as _, Sqlite, SqliteConnection};
use uuid::Uuid;

use crate::engine::row::signed;
pub(super) use crate::engine::row::{decode, encode};
use crate::engine::time::Time;
use crate::error::Result;
use crate::task::TaskId;

/// The number of rows in one text. With the longest payloads, this is half of SQLite's limit.
pub(super) const MAX_TEXT_ROWS: usize = 256;

/// The number of bytes of payloads or results in one statement.
const MAX_STATEMENT_BYTES: usize = 16 << 20;

/// Splits items that are too many, or too long, for one statement.
pub(super) fn chunks<T>(
    mut items: &[T],
    max_items: usize,
    bytes: impl Fn(&T) -> usize,
) -> Vec<&[T]> {
    let mut chunks = Vec::new();
    while !items.is_empty() {
        let mut total = 0;
        let fits = |item: &&T| {
            total += bytes(item);
            total <= MAX_STATEMENT_BYTES
        };
        let count = items.iter().take(max_items).take_while(fits).count().max(1);
        let (chunk, rest) = items.split_at(count);
        chunks.push(chunk);
        items = rest;
    }
    chunks
}

pub(super) fn timestamp(micros: i64) -> Timestamp {
    Time::from_micros(micros).0
}

/// A later time, at most the latest possible.
pub(super) fn after(now: i64, delay: Duration) -> i64 {
    now.saturating_add(signed(delay.as_micros())).min(Timestamp::MAX.as_microsecond())
}

pub(super) fn before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(signed(age.as_micros()))
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

/// The JSON that a statement returns.
pub(super) async fn fetch_json<T: DeserializeOwned>(
    connection: &mut SqliteConnection,
    query: Query<'_, Sqlite, SqliteArguments>,
) -> Result<T> {
    decode(query.fetch_one(connection).await?.try_get(0)?)
}

/// A list of ids as JSON.
pub(super) fn ids(ids: impl IntoIterator<Item = TaskId>) -> Result<String> {
    encode(&ids.into_iter().map(Hex).collect::<Vec<_>>())
}
