//! What ended within a window of time, summed up (O1).

use sqlx::SqliteConnection;

use crate::error::Result;
use crate::figures::{Summed, summed};

const SUMS: [&str; 2] =
    [include_str!("sql/figures_tasks.sql"), include_str!("sql/figures_sessions.sql")];

/// Tasks and sessions of processes, from one time to another.
pub(super) async fn sums(
    connection: &mut SqliteConnection,
    from: i64,
    to: i64,
) -> Result<Vec<Summed>> {
    let mut sums = Vec::new();
    for statement in SUMS {
        let rows = sqlx::query(statement).bind(from).bind(to).fetch_all(&mut *connection).await?;
        for row in &rows {
            sums.push(summed!(row)?);
        }
    }
    Ok(sums)
}
