//! Decoding of columns, shared by both engines, and of JSON columns.
//!
//! The statements of both engines use the same column names, so that one function decodes the rows
//! of both.

use std::str::FromStr;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row, Sqlite, Type};
use uuid::Uuid;

use super::time::Time;
use crate::error::{Result, StoreError};

/// A type that both databases can decode.
pub(crate) trait Column:
    Type<Postgres> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + for<'r> Decode<'r, Sqlite>
{
}

impl<T> Column for T where
    T: Type<Postgres> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + for<'r> Decode<'r, Sqlite>
{
}

/// A row of either engine.
pub(crate) trait EngineRow {
    fn get<T: Column>(&self, column: &str) -> sqlx::Result<T>;

    /// A text that is borrowed from the row.
    fn text(&self, column: &str) -> sqlx::Result<&str>;

    fn maybe_text(&self, column: &str) -> sqlx::Result<Option<&str>>;

    fn time(&self, column: &str) -> sqlx::Result<Timestamp> {
        Ok(self.get::<Time>(column)?.0)
    }

    fn maybe_time(&self, column: &str) -> sqlx::Result<Option<Timestamp>> {
        Ok(self.get::<Option<Time>>(column)?.map(|time| time.0))
    }

    fn id<T: From<Uuid>>(&self, column: &str) -> sqlx::Result<T> {
        Ok(self.get::<Uuid>(column)?.into())
    }

    fn maybe_id<T: From<Uuid>>(&self, column: &str) -> sqlx::Result<Option<T>> {
        Ok(self.get::<Option<Uuid>>(column)?.map(T::from))
    }

    /// A count from a signed column of 64 bits.
    fn count(&self, column: &str) -> sqlx::Result<u64> {
        Ok(unsigned(self.get(column)?))
    }

    fn maybe_count(&self, column: &str) -> sqlx::Result<Option<u64>> {
        Ok(self.get::<Option<i64>>(column)?.map(unsigned))
    }

    /// A count from a signed column of 32 bits.
    fn small_count(&self, column: &str) -> sqlx::Result<u32> {
        Ok(u32::try_from(self.get::<i32>(column)?).unwrap_or_default())
    }

    fn parsed<T: FromStr>(&self, column: &str) -> Result<T>
    where
        StoreError: From<T::Err>,
    {
        Ok(self.text(column)?.parse()?)
    }

    fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T> {
        decode(self.text(column)?)
    }
}

macro_rules! engine_row {
    ($row:ty) => {
        impl EngineRow for $row {
            fn get<T: Column>(&self, column: &str) -> sqlx::Result<T> {
                self.try_get(column)
            }

            fn text(&self, column: &str) -> sqlx::Result<&str> {
                self.try_get(column)
            }

            fn maybe_text(&self, column: &str) -> sqlx::Result<Option<&str>> {
                self.try_get(column)
            }
        }
    };
}

engine_row!(PgRow);
engine_row!(SqliteRow);

/// A count from a signed column; 0 if negative.
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A count for a signed column.
pub(crate) fn signed(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

pub(crate) fn encode(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(Box::new(error)).into())
}

pub(crate) fn decode<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)).into())
}

/// A class or a reason by its name in rows; `None` for a name of a newer version.
pub(crate) fn named<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(Value::String(name.to_owned())).ok()
}

/// A statement of an SQL file that has several, each after a line `-- name: NAME`.
pub(crate) fn named_statement(file: &'static str, name: &str) -> &'static str {
    let mut statements = file.split("-- name: ").filter_map(|part| part.split_once('\n'));
    let found = statements.find(|(first_line, _)| first_line.trim_end() == name);
    debug_assert!(found.is_some(), "no statement {name}");
    found.map_or("", |(_, statement)| statement)
}
