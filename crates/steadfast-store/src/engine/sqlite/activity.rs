//! Ended tasks of the last hour, and scheduled tasks of the next day.
//!
//! A million tasks may have ended within an hour, and a page waits for the counts. So two halves of
//! the hour and the day are counted concurrently.

use std::ops::Range;

use sqlx::{Row, SqliteConnection};
use tokio::try_join;

use super::row::timestamp;
use super::{Sqlite, now};
use crate::error::Result;
use crate::queue::activity::{Activity, Ended, MINUTES};

const ACTIVITY_ENDED: &str = include_str!("sql/activity_ended.sql");
const ACTIVITY_DUE: &str = include_str!("sql/activity_due.sql");

pub(super) async fn activity(engine: &Sqlite) -> Result<Activity> {
    let now = engine.read(|connection| Box::pin(now(connection))).await?;
    let half = MINUTES / 2;
    let (recent, earlier, due) = try_join!(
        engine.read(move |connection| Box::pin(ended(connection, now, 0..half))),
        engine.read(move |connection| Box::pin(ended(connection, now, half..MINUTES))),
        engine.read(move |connection| Box::pin(due(connection, now))),
    )?;
    let mut activity = Activity::empty(timestamp(now));
    for (minutes_ago, count) in recent.into_iter().chain(earlier) {
        activity.add_ended(minutes_ago, count);
    }
    for (hours, tasks) in due {
        activity.add_due(hours, tasks);
    }
    Ok(activity)
}

/// Tasks that ended in a range of whole minutes ago.
async fn ended(
    connection: &mut SqliteConnection,
    now: i64,
    minutes: Range<usize>,
) -> Result<Vec<(i64, Ended)>> {
    let minutes = [minutes.start, minutes.end].map(|minute| i64::try_from(minute).unwrap_or(0));
    let rows = sqlx::query(ACTIVITY_ENDED).bind(now).bind(minutes[0]).bind(minutes[1]);
    let mut counted = Vec::new();
    for row in rows.fetch_all(connection).await? {
        let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
        let ended = Ended { completed: count("completed")?, failed: count("failed")? };
        counted.push((row.try_get("minutes_ago")?, ended));
    }
    Ok(counted)
}

/// Scheduled tasks by whole hours from now.
async fn due(connection: &mut SqliteConnection, now: i64) -> Result<Vec<(i64, u64)>> {
    let mut counted = Vec::new();
    for row in sqlx::query(ACTIVITY_DUE).bind(now).fetch_all(connection).await? {
        counted.push((row.try_get("hours")?, row.try_get::<i64, _>("tasks")?.unsigned_abs()));
    }
    Ok(counted)
}
