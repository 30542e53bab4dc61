//! Making tasks ready whose time has come.
//!
//! The waiting are kept in the order of their time, apart from the ready. So this looks at as
//! many rows as it moves, and a claim at none of them (D6).

use sqlx::SqliteConnection;

use super::row::{Hex, read, timestamp};
use super::transitions;
use crate::error::Result;
use crate::queue::settle::Promoted;

const DUE: &str = include_str!("sql/promote_due.sql");
const NEXT: &str = include_str!("sql/promote_next.sql");
const HELD: &str = include_str!("sql/promote_held.sql");
const DROP_HOLDS: &str = include_str!("sql/hold_drop.sql");

/// Makes waiting tasks ready whose time has come.
pub(super) async fn promote(
    connection: &mut SqliteConnection,
    limit: u32,
    now: i64,
) -> Result<Promoted> {
    let due: String =
        sqlx::query_scalar(DUE).bind(now).bind(limit).fetch_one(&mut *connection).await?;
    let mut count = read::<Vec<Hex>>(&due)?.len() as u64;
    if count > 0 {
        transitions::leave(connection, &due).await?;
        let held = sqlx::query(HELD).bind(&due).bind(now).execute(&mut *connection).await?;
        count -= held.rows_affected();
        sqlx::query(DROP_HOLDS).bind(now).execute(&mut *connection).await?;
        transitions::enter(connection, &due, now).await?;
    }
    let next: Option<i64> = sqlx::query_scalar(NEXT).fetch_one(connection).await?;
    Ok(Promoted { count, next: next.map(timestamp), now: timestamp(now) })
}
