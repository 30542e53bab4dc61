//! How many there are of what (D15).

use sqlx::{Row, SqliteConnection};

use super::now;
use super::row::timestamp;
use crate::error::Result;
use crate::query::{QueueInfo, Stats};

const STATS: &str = include_str!("sql/count_stats.sql");
const QUEUES: &str = include_str!("sql/count_queues.sql");

/// The figures of the whole store.
pub(super) async fn stats(connection: &mut SqliteConnection) -> Result<Stats> {
    let now = now(connection).await?;
    let row = sqlx::query(STATS).bind(now).fetch_one(connection).await?;
    let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
    let time = |column| row.try_get::<Option<i64>, _>(column).map(|time| time.map(timestamp));
    Ok(Stats {
        pending: count("pending")?,
        scheduled: count("scheduled")?,
        due_in_an_hour: count("due_in_an_hour")?,
        due_in_24_hours: count("due_in_24_hours")?,
        running: count("running")?,
        completed: count("completed")?,
        failed: count("failed")?,
        cancelled: count("cancelled")?,
        next_due: time("next_due")?,
        oldest_pending: time("oldest_pending")?,
    })
}

/// Every queue, by name.
pub(super) async fn queues(connection: &mut SqliteConnection) -> Result<Vec<QueueInfo>> {
    let now = now(connection).await?;
    let rows = sqlx::query(QUEUES).bind(now).fetch_all(connection).await?;
    let queues = rows.iter().map(|row| {
        let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
        Ok(QueueInfo {
            name: row.try_get("name")?,
            paused: row.try_get("paused")?,
            pending: count("pending")?,
            scheduled: count("scheduled")?,
        })
    });
    queues.collect()
}
