//! The last hour and the next day.

use sqlx::{Row, SqliteConnection};

use super::now;
use super::row::timestamp;
use crate::activity::{Activity, Ended};
use crate::error::Result;

const ENDED: &str = include_str!("sql/activity_ended.sql");
const DUE: &str = include_str!("sql/activity_due.sql");

/// What ended by the minute, and what is due by the hour.
pub(super) async fn read(connection: &mut SqliteConnection) -> Result<Activity> {
    let now = now(connection).await?;
    let mut activity = Activity::none(timestamp(now));
    for row in sqlx::query(ENDED).bind(now).fetch_all(&mut *connection).await? {
        let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
        let ended = Ended { completed: count("completed")?, failed: count("failed")? };
        activity.ended(row.try_get("minutes_ago")?, ended);
    }
    for row in sqlx::query(DUE).bind(now).fetch_all(connection).await? {
        let tasks: i64 = row.try_get("tasks")?;
        activity.due(row.try_get("hours")?, tasks.unsigned_abs());
    }
    Ok(activity)
}
