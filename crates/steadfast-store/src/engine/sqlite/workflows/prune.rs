//! Forgetting executions that are past their retention (D14).

use sqlx::SqliteConnection;

use super::super::row::{Hex, before, json, read};
use crate::error::Result;
use crate::maintenance::retention::Retention;

const FIND: &str = include_str!("../sql/execution_prune.sql");
const DROP_NODES: &str = include_str!("../sql/execution_drop_nodes.sql");
const DROP: &str = include_str!("../sql/execution_drop.sql");

/// Which can be forgotten: all of them in a dry run, some otherwise.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    retention: &Retention,
    now: i64,
) -> Result<Vec<Hex>> {
    let most = retention.ended_at_most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
    let at_a_time = if retention.dry_run { i64::MAX } else { i64::from(retention.at_a_time) };
    let found = sqlx::query_scalar(FIND)
        .bind(retention.completed_for.map(|kept| before(now, kept)))
        .bind(retention.failed_for.map(|kept| before(now, kept)))
        .bind(most)
        .bind(at_a_time);
    let found: String = found.fetch_one(connection).await?;
    read(&found)
}

/// Forgets some. What was found before may have been resumed since, so it is looked for again:
/// there is something to find, and it is found by its time.
pub(super) async fn forget(
    connection: &mut SqliteConnection,
    retention: &Retention,
    now: i64,
) -> Result<u64> {
    let old = json(&find(connection, retention, now).await?)?;
    sqlx::query(DROP_NODES).bind(&old).execute(&mut *connection).await?;
    Ok(sqlx::query(DROP).bind(&old).execute(connection).await?.rows_affected())
}
