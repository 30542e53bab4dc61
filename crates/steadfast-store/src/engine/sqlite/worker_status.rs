//! Who is at work, and on what (H2).

use sqlx::{Row, SqliteConnection};

use super::now;
use super::row::timestamp;
use crate::error::Result;
use crate::queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};

const WORKERS: &str = include_str!("sql/work_workers.sql");
const LINES: &str = include_str!("sql/lines.sql");

/// Workers and lines.
pub(super) async fn look(connection: &mut SqliteConnection) -> Result<WorkerStatus> {
    let now = now(connection).await?;
    Ok(WorkerStatus { workers: workers(connection).await?, lines: lines(connection, now).await? })
}

async fn workers(connection: &mut SqliteConnection) -> Result<Vec<WorkerInfo>> {
    let rows = sqlx::query(WORKERS).fetch_all(connection).await?;
    let workers = rows.iter().map(|row| {
        Ok(WorkerInfo {
            name: row.try_get("name")?,
            tasks: row.try_get::<i64, _>("tasks")?.unsigned_abs(),
            until: timestamp(row.try_get("until")?),
        })
    });
    workers.collect()
}

async fn lines(connection: &mut SqliteConnection, now: i64) -> Result<Vec<QueueBacklog>> {
    let rows = sqlx::query(LINES).bind(now).fetch_all(connection).await?;
    let lines = rows.iter().map(|row| {
        Ok(QueueBacklog {
            queue: row.try_get("name")?,
            due_since: row.try_get::<Option<i64>, _>("due_since")?.map(timestamp),
            running: row.try_get::<i64, _>("running")?.unsigned_abs(),
        })
    });
    lines.collect()
}
