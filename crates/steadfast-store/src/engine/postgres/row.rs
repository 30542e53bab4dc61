//! Rows of statements as values.

use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};
use steadfast::decide::Progress;
use uuid::Uuid;

use super::name_cache::Names;
use super::time::Time;
use crate::error::Result;
use crate::queue::claim::{Claimed, FencingToken};

/// A row of `claim.sql` and its kin. Columns by number: a claim reads thousands a second.
pub(super) async fn claimed(names: &Names, pool: &PgPool, row: &PgRow) -> Result<Claimed> {
    let time = |column| row.try_get::<Time, usize>(column).map(|time| time.0);
    let id = row.try_get::<Uuid, _>(0)?.into();
    let queue = names.queue_name(pool, row.try_get(4)?).await?;
    Ok(Claimed {
        id,
        version: FencingToken(row.try_get(1)?),
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
        due_at: time(18)?,
        expires_at: row.try_get::<Option<Time>, _>(13)?.map(|time| time.0),
        idempotency_key: row.try_get(14)?,
        correlation_id: row.try_get(15)?,
        hold_category: row.try_get(16)?,
    })
}

/// A count that a column of signed numbers holds.
pub(super) fn count(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// The same for a large one.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// And back.
pub(super) fn column(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
