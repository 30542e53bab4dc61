//! Conversion between rows and values.

use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};
use steadfast::decide::Progress;
use uuid::Uuid;

use super::name_cache::NameCache;
use crate::engine::row::unsigned;
use crate::engine::time::Time;
use crate::error::Result;
use crate::queue::claim::{Claimed, FencingToken};

/// Decodes a row of `claim.sql`, `held.sql` or `reclaim.sql`. Columns go by number, because a
/// claim reads thousands of rows a second.
pub(super) async fn claimed(names: &NameCache, pool: &PgPool, row: &PgRow) -> Result<Claimed> {
    let time = |column| row.try_get::<Time, usize>(column).map(|time| time.0);
    let count = |column| row.try_get(column).map(|count: i32| count.try_into().unwrap_or_default());
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
            attempts: count(8)?,
            rate_limit_waits: count(9)?,
            previous: unsigned(row.try_get(10)?),
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

/// A count for a signed column.
pub(super) fn int(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// One column of a batch, as `unnest` takes it.
pub(super) fn column<'b, T, C>(batch: &'b [T], value: impl Fn(&'b T) -> C) -> Vec<C> {
    batch.iter().map(value).collect()
}
