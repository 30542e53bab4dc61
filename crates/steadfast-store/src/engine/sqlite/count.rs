//! How many there are of what (D15).
//!
//! What may be millions, for months, is counted as it comes and goes: what waits for its time, and
//! what has ended. The ready are counted along their lines; they do not stay.

use sqlx::{Row, SqliteConnection};

use super::now;
use super::row::{read, timestamp};
use crate::error::Result;
use crate::queue::stats::{Counts, Due, QueueInfo, Stats};

const QUEUES: &str = include_str!("sql/count_queues.sql");
const DUE: &str = include_str!("sql/count_due.sql");
/// All of it as one look sees it.
const COUNTS: &str = concat!(
    "SELECT (",
    include_str!("sql/count_queues.sql"),
    ") AS queues, stats.* FROM (",
    include_str!("sql/count_stats.sql"),
    ") AS stats"
);

/// A queue as JSON: its name, whether it is paused, what is pending and what is scheduled.
type Counted = (String, u8, i64, i64);

/// The figures of the whole store, and of each queue.
pub(super) async fn counts(connection: &mut SqliteConnection) -> Result<Counts> {
    let now = now(connection).await?;
    let Due { next_due, due_since } = due_at(connection, now).await?;
    let row = sqlx::query(COUNTS).bind(now).fetch_one(connection).await?;
    let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
    let stats = Stats {
        due_in_an_hour: count("due_in_an_hour")?,
        due_in_24_hours: count("due_in_24_hours")?,
        running: count("running")?,
        completed: count("completed")?,
        failed: count("failed")?,
        cancelled: count("cancelled")?,
        next_due,
        due_since,
        ..Stats::default()
    };
    Ok(Counts::of(stats, listed(row.try_get("queues")?)?))
}

/// Every queue, by name.
pub(super) async fn queues(connection: &mut SqliteConnection) -> Result<Vec<QueueInfo>> {
    let now = now(connection).await?;
    let queues: String = sqlx::query_scalar(QUEUES).bind(now).fetch_one(connection).await?;
    listed(&queues)
}

/// What is due first.
pub(super) async fn due(connection: &mut SqliteConnection) -> Result<Due> {
    let now = now(connection).await?;
    due_at(connection, now).await
}

async fn due_at(connection: &mut SqliteConnection, now: i64) -> Result<Due> {
    let row = sqlx::query(DUE).bind(now).fetch_one(connection).await?;
    let time = |column| row.try_get::<Option<i64>, _>(column).map(|time| time.map(timestamp));
    Ok(Due { next_due: time("next_due")?, due_since: time("due_since")? })
}

fn listed(queues: &str) -> Result<Vec<QueueInfo>> {
    let queues: Vec<Counted> = read(queues)?;
    let queues = queues.into_iter().map(|(name, paused, pending, scheduled)| QueueInfo {
        name,
        paused: paused != 0,
        pending: pending.unsigned_abs(),
        scheduled: scheduled.unsigned_abs(),
    });
    Ok(queues.collect())
}
