//! Timestamps as columns: `timestamptz` in PostgreSQL, microseconds since 1970 in SQLite.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Postgres, Sqlite, Type};

use super::row::signed;

/// PostgreSQL counts microseconds since 2000.
const UNIX_TO_2000_MICROS: i64 = 946_684_800_000_000;
/// The earliest `timestamptz`, in the year 4713 BC.
const EARLIEST_MICROS: i64 = -211_813_488_000_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Time(pub(crate) Timestamp);

impl Time {
    /// A time in microseconds since 1970, at most the latest possible.
    pub(crate) fn from_micros(micros: i64) -> Self {
        Self(Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX))
    }
}

impl Type<Postgres> for Time {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("timestamptz")
    }
}

impl PgHasArrayType for Time {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("_timestamptz")
    }
}

impl Encode<'_, Postgres> for Time {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let micros = match self.0.as_microsecond().saturating_sub(UNIX_TO_2000_MICROS) {
            // Earlier times become -infinity.
            micros if micros < EARLIEST_MICROS => i64::MIN,
            micros => micros,
        };
        buffer.extend_from_slice(&micros.to_be_bytes());
        Ok(IsNull::No)
    }
}

impl Decode<'_, Postgres> for Time {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let micros = i64::from_be_bytes(value.as_bytes()?.try_into()?);
        // Values out of range are the infinities.
        let time = Timestamp::from_microsecond(micros.saturating_add(UNIX_TO_2000_MICROS));
        Ok(Self(time.unwrap_or(if micros < 0 { Timestamp::MIN } else { Timestamp::MAX })))
    }
}

impl Type<Sqlite> for Time {
    fn type_info() -> SqliteTypeInfo {
        <i64 as Type<Sqlite>>::type_info()
    }

    fn compatible(column: &SqliteTypeInfo) -> bool {
        <i64 as Type<Sqlite>>::compatible(column)
    }
}

impl Encode<'_, Sqlite> for Time {
    fn encode_by_ref(&self, arguments: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Sqlite>::encode_by_ref(&self.0.as_microsecond(), arguments)
    }
}

impl Decode<'_, Sqlite> for Time {
    fn decode(value: SqliteValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(Self::from_micros(Decode::<Sqlite>::decode(value)?))
    }
}

/// A thousand years. A longer duration could overflow a `timestamptz`.
const MAX_DURATION_MICROS: i64 = 1000 * 365 * 24 * 3600 * 1_000_000;

/// A duration in microseconds, as PostgreSQL's statements take it.
pub(crate) fn micros(duration: Duration) -> i64 {
    signed(duration.as_micros()).min(MAX_DURATION_MICROS)
}
