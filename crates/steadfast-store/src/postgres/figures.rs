//! What ended within a window of time, summed up (O1).

use jiff::Timestamp;

use super::Postgres;
use super::time::Time;
use crate::error::Result;
use crate::figures::{Summed, summed};

const SUMS: [&str; 2] =
    [include_str!("sql/figures_tasks.sql"), include_str!("sql/figures_sessions.sql")];

impl Postgres {
    /// Tasks and sessions of processes, from one time to another.
    pub(super) async fn sum_up(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Summed>> {
        let mut sums = Vec::new();
        for statement in SUMS {
            let rows = sqlx::query(statement).bind(Time(from)).bind(Time(to));
            for row in &rows.fetch_all(&self.pool).await? {
                sums.push(summed!(row)?);
            }
        }
        Ok(sums)
    }
}
