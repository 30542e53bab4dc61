//! The last hour and the next day.

use sqlx::Row;

use super::Postgres;
use super::count::Reads;
use super::row::unsigned;
use crate::error::Result;
use crate::queue::activity::{Activity, Ended};

const ENDED: &str = include_str!("sql/activity_ended.sql");
const DUE: &str = include_str!("sql/activity_due.sql");

impl Postgres {
    /// What ended by the minute, and what is due by the hour.
    pub(super) async fn read_activity(&self) -> Result<Activity> {
        let mut activity = Activity::none(self.database_time().await?);
        for row in self.counted(ENDED, Reads::ASpan).await? {
            let count = |column| row.try_get::<i64, _>(column).map(unsigned);
            let ended = Ended { completed: count("completed")?, failed: count("failed")? };
            activity.ended(row.try_get("minutes_ago")?, ended);
        }
        for row in self.counted(DUE, Reads::ASpan).await? {
            activity.due(row.try_get("hours")?, unsigned(row.try_get("tasks")?));
        }
        Ok(activity)
    }
}
