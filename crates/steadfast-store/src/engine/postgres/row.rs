//! Conversion between rows and values.

use serde::Serialize;
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};
use steadfast::decide::Progress;
use uuid::Uuid;

use super::name_cache::NameCache;
use super::time::Time;
use crate::error::Result;
use crate::queue::claim::{Claimed, FencingToken};

/// Decodes a row of `claim.sql`, `held.sql` or `reclaim.sql`. Columns go by number, because a
/// claim reads thousands of rows a second.
pub(super) async fn claimed(names: &NameCache, pool: &PgPool, row: &PgRow) -> Result<Claimed> {
    let time = |column| row.try_get::<Time, usize>(column).map(|time| time.0);
    let id = row.try_get::<Uuid, _>(0)?.into();
    let queue = names.queue_name(pool, row.try_get(4)?).await?;
    Ok(Claimed {
        id,
        fencing_token: FencingToken(row.try_get(1)?),
        kind: row.try_get(2)?,
        payload: row.try_get(3)?,
        queue: queue.to_string(),
        category: row.try_get(5)?,
        priority: row.try_get(6)?,
        policy: names.policy_value(pool, row.try_get(7)?, id).await?,
        progress: Progress {
            attempts: count(row.try_get(8)?),
            rate_limit_waits: count(row.try_get(9)?),
            previous: u64::try_from(row.try_get::<i64, _>(10)?).unwrap_or_default(),
        },
        submitted_at: time(11)?,
        counted_from: time(12)?,
        scheduled_at: time(18)?,
        expires_at: row.try_get::<Option<Time>, _>(13)?.map(|time| time.0),
        idempotency_key: row.try_get(14)?,
        correlation_id: row.try_get(15)?,
        hold_category: row.try_get(16)?,
    })
}

/// Encodes a value as JSON.
pub(super) fn encode(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(Box::new(error)).into())
}

/// Decodes JSON.
pub(super) fn decode(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)).into())
}

/// A count from a signed column.
pub(super) fn count(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// A count from a signed column of 64 bits.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A count for a signed column.
pub(super) fn column(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
