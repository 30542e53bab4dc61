//! Promotion of scheduled tasks that are due.
//!
//! Scheduled tasks are stored by due time, apart from the pending ones. So a promotion reads as
//! many rows as it moves, and a claim reads none of them (D6).

use sqlx::SqliteConnection;

use super::row::{Hex, decode, timestamp};
use super::transitions;
use crate::error::Result;
use crate::maintenance::Promoted;

pub(super) async fn promote(
    connection: &mut SqliteConnection,
    limit: u32,
    now: i64,
) -> Result<Promoted> {
    let due = sqlx::query_scalar(include_str!("sql/promote.sql")).bind(now).bind(limit);
    let due: String = due.fetch_one(&mut *connection).await?;
    let mut count = decode::<Vec<Hex>>(&due)?.len() as u64;
    if count > 0 {
        transitions::remove_queued(connection, &due).await?;
        let postpone = sqlx::query(include_str!("sql/promote_held.sql")).bind(&due).bind(now);
        count -= postpone.execute(&mut *connection).await?.rows_affected();
        let drop_holds = sqlx::query("DELETE FROM steadfast_holds WHERE until <= ?1").bind(now);
        drop_holds.execute(&mut *connection).await?;
        transitions::enqueue(connection, &due, now).await?;
    }
    let next = sqlx::query_scalar("SELECT min(due_at) FROM steadfast_waiting");
    let next: Option<i64> = next.fetch_one(connection).await?;
    Ok(Promoted { count, next: next.map(timestamp), now: timestamp(now) })
}
