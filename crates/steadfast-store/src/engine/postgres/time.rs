//! Timestamps in PostgreSQL's binary format: microseconds since 2000.

use jiff::Timestamp;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

const UNIX_TO_2000_MICROS: i64 = 946_684_800_000_000;
/// The earliest `timestamptz`, in the year 4713 BC.
const EARLIEST_MICROS: i64 = -211_813_488_000_000_000;

/// A `timestamptz`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time(pub(super) Timestamp);

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

/// A duration in microseconds, as the statements take it.
pub(super) fn micros(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX / 4).min(MAX_DURATION_MICROS)
}

/// A thousand years. A longer duration could overflow a `timestamptz`.
const MAX_DURATION_MICROS: i64 = 1000 * 365 * 24 * 3600 * 1_000_000;
