//! Promotion of scheduled tasks that are due.
//!
//! Scheduled tasks are stored by due time, apart from the pending ones. So a promotion reads as
//! many rows as it moves, and a claim reads none of them (D6).

use sqlx::SqliteConnection;

use super::row::{Hex, decode, timestamp};
use super::transitions;
use crate::error::Result;
use crate::maintenance::promote::Promoted;

/// The first scheduled tasks that are due.
const PROMOTE: &str = include_str!("sql/promote.sql");
/// Postpones the tasks of held categories.
const PROMOTE_HELD: &str = include_str!("sql/promote_held.sql");

pub(super) async fn promote(
    connection: &mut SqliteConnection,
    limit: u32,
    now: i64,
) -> Result<Promoted> {
    let due: String =
        sqlx::query_scalar(PROMOTE).bind(now).bind(limit).fetch_one(&mut *connection).await?;
    let mut count = decode::<Vec<Hex>>(&due)?.len() as u64;
    if count > 0 {
        transitions::remove_queued(connection, &due).await?;
        let held = sqlx::query(PROMOTE_HELD).bind(&due).bind(now).execute(&mut *connection).await?;
        count -= held.rows_affected();
        let drop_holds = sqlx::query("DELETE FROM steadfast_holds WHERE until <= ?1").bind(now);
        drop_holds.execute(&mut *connection).await?;
        transitions::enqueue(connection, &due, now).await?;
    }
    let next = sqlx::query_scalar("SELECT min(due_at) FROM steadfast_waiting");
    let next: Option<i64> = next.fetch_one(connection).await?;
    Ok(Promoted { count, next: next.map(timestamp), now: timestamp(now) })
}
