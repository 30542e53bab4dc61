//! Workers that hold tasks, and the backlog of each queue (H2).

use sqlx::{Row, SqliteConnection};

use super::now;
use super::row::timestamp;
use crate::error::Result;
use crate::queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};

const WORKERS: &str = "SELECT owner AS name, sum(tasks) AS tasks, min(until) AS until \
     FROM steadfast_leases WHERE tasks > 0 GROUP BY owner ORDER BY owner";
const BACKLOGS: &str = include_str!("sql/worker_status_backlogs.sql");

pub(super) async fn worker_status(connection: &mut SqliteConnection) -> Result<WorkerStatus> {
    let now = now(connection).await?;
    Ok(WorkerStatus {
        workers: workers(connection).await?,
        backlogs: backlogs(connection, now).await?,
    })
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

async fn backlogs(connection: &mut SqliteConnection, now: i64) -> Result<Vec<QueueBacklog>> {
    let rows = sqlx::query(BACKLOGS).bind(now).fetch_all(connection).await?;
    let backlogs = rows.iter().map(|row| {
        Ok(QueueBacklog {
            queue: row.try_get("name")?,
            due_since: row.try_get::<Option<i64>, _>("due_since")?.map(timestamp),
            running: row.try_get::<i64, _>("running")?.unsigned_abs(),
        })
    });
    backlogs.collect()
}
