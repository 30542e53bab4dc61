//! The last hour and the next day.
//!
//! A million tasks may have ended within an hour, and somebody waits for the page. So the halves of
//! the hour are counted beside each other, and beside the day.

use std::ops::Range;

use sqlx::{Row, SqliteConnection};
use tokio::try_join;

use super::row::timestamp;
use super::{Sqlite, now};
use crate::error::Result;
use crate::queue::activity::{Activity, Ended, MINUTES};

const ENDED: &str = include_str!("sql/activity_ended.sql");
const DUE: &str = include_str!("sql/activity_due.sql");

impl Sqlite {
    /// What ended by the minute, and what is due by the hour.
    pub(super) async fn look_around(&self) -> Result<Activity> {
        let now = self.look(|connection| Box::pin(now(connection))).await?;
        let half = MINUTES / 2;
        let (lately, before, due) = try_join!(
            self.look(move |connection| Box::pin(ended(connection, now, 0..half))),
            self.look(move |connection| Box::pin(ended(connection, now, half..MINUTES))),
            self.look(move |connection| Box::pin(due(connection, now))),
        )?;
        let mut activity = Activity::none(timestamp(now));
        for (minutes_ago, count) in lately.into_iter().chain(before) {
            activity.ended(minutes_ago, count);
        }
        for (hours, tasks) in due {
            activity.due(hours, tasks);
        }
        Ok(activity)
    }
}

/// What ended so many whole minutes ago.
async fn ended(
    connection: &mut SqliteConnection,
    now: i64,
    minutes: Range<usize>,
) -> Result<Vec<(i64, Ended)>> {
    let minutes = [minutes.start, minutes.end].map(|minute| i64::try_from(minute).unwrap_or(0));
    let rows = sqlx::query(ENDED).bind(now).bind(minutes[0]).bind(minutes[1]);
    let mut counted = Vec::new();
    for row in rows.fetch_all(connection).await? {
        let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
        let ended = Ended { completed: count("completed")?, failed: count("failed")? };
        counted.push((row.try_get("minutes_ago")?, ended));
    }
    Ok(counted)
}

/// How many are due in so many whole hours.
async fn due(connection: &mut SqliteConnection, now: i64) -> Result<Vec<(i64, u64)>> {
    let mut counted = Vec::new();
    for row in sqlx::query(DUE).bind(now).fetch_all(connection).await? {
        counted.push((row.try_get("hours")?, row.try_get::<i64, _>("tasks")?.unsigned_abs()));
    }
    Ok(counted)
}
