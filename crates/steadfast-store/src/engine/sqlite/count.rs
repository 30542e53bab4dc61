//! Task counts of the store and its queues (D15).
//!
//! Scheduled and finished tasks may be millions, for months, so counters are maintained for them.
//! Pending tasks are counted by queue; they do not stay.

use sqlx::SqliteConnection;

use super::now;
use super::row::fetch_json;
use crate::engine::read;
use crate::engine::row::{EngineRow, unsigned};
use crate::error::Result;
use crate::queue::stats::{Counts, DueTimes, QueueInfo, Stats};

/// Both counts in one snapshot.
const COUNT: &str = concat!(
    "SELECT (",
    include_str!("sql/count_queues.sql"),
    ") AS queues, stats.* FROM (",
    include_str!("sql/count.sql"),
    ") AS stats"
);

/// A queue as JSON: its name, whether it is paused, its pending and its scheduled tasks.
type QueueRow = (String, u8, i64, i64);

pub(super) async fn counts(connection: &mut SqliteConnection) -> Result<Counts> {
    let now = now(connection).await?;
    let DueTimes { next_due, due_since } = due_times_at(connection, now).await?;
    let row = sqlx::query(COUNT).bind(now).fetch_one(connection).await?;
    let stats = Stats {
        due_in_an_hour: row.count("due_in_an_hour")?,
        due_in_24_hours: row.count("due_in_24_hours")?,
        running: row.count("running")?,
        completed: row.count("completed")?,
        failed: row.count("failed")?,
        cancelled: row.count("cancelled")?,
        next_due,
        due_since,
        ..Stats::default()
    };
    Ok(Counts::of(stats, queue_infos(row.json("queues")?)))
}

pub(super) async fn queues(connection: &mut SqliteConnection) -> Result<Vec<QueueInfo>> {
    let now = now(connection).await?;
    let queues = sqlx::query(include_str!("sql/count_queues.sql")).bind(now);
    Ok(queue_infos(fetch_json(connection, queues).await?))
}

pub(super) async fn due_times(connection: &mut SqliteConnection) -> Result<DueTimes> {
    let now = now(connection).await?;
    due_times_at(connection, now).await
}

async fn due_times_at(connection: &mut SqliteConnection, now: i64) -> Result<DueTimes> {
    let row = sqlx::query(include_str!("sql/count_due.sql")).bind(now).fetch_one(connection);
    read::due_times(&row.await?)
}

fn queue_infos(queues: Vec<QueueRow>) -> Vec<QueueInfo> {
    let info = |(name, paused, pending, scheduled)| {
        let (pending, scheduled) = (unsigned(pending), unsigned(scheduled));
        QueueInfo { name, paused: paused != 0, pending, scheduled }
    };
    queues.into_iter().map(info).collect()
}
