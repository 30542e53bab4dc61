//! Ended tasks of the last hour, and scheduled tasks of the next day.

use sqlx::Row;

use super::Postgres;
use super::count::ScanRange;
use super::row::unsigned;
use crate::error::Result;
use crate::queue::activity::{Activity, Ended};

const ACTIVITY_ENDED: &str = include_str!("sql/activity_ended.sql");
const ACTIVITY_DUE: &str = include_str!("sql/activity_due.sql");

pub(super) async fn activity(engine: &Postgres) -> Result<Activity> {
    let mut activity = Activity::empty(engine.database_time().await?);
    for row in engine.counted(ACTIVITY_ENDED, ScanRange::TimeSpan).await? {
        let count = |column| row.try_get::<i64, _>(column).map(unsigned);
        let ended = Ended { completed: count("completed")?, failed: count("failed")? };
        activity.add_ended(row.try_get("minutes_ago")?, ended);
    }
    for row in engine.counted(ACTIVITY_DUE, ScanRange::TimeSpan).await? {
        activity.add_due(row.try_get("hours")?, unsigned(row.try_get("tasks")?));
    }
    Ok(activity)
}
