//! Workers that hold tasks, and the backlog of each queue (H2).

use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};

use super::row::unsigned;
use super::time::Time;
use crate::error::Result;
use crate::queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};

const WORKERS: &str = "SELECT worker AS name, sum(open)::bigint AS tasks, min(until) AS until \
     FROM steadfast.leases WHERE open > 0 GROUP BY worker ORDER BY worker COLLATE \"C\"";
const BACKLOGS: &str = include_str!("sql/worker_status_backlogs.sql");

pub(super) async fn worker_status(pool: &PgPool) -> Result<WorkerStatus> {
    let workers = sqlx::query(WORKERS).fetch_all(pool).await?;
    let backlogs = sqlx::query(BACKLOGS).fetch_all(pool).await?;
    Ok(WorkerStatus {
        workers: workers.iter().map(worker).collect::<Result<_>>()?,
        backlogs: backlogs.iter().map(backlog).collect::<Result<_>>()?,
    })
}

fn worker(row: &PgRow) -> Result<WorkerInfo> {
    Ok(WorkerInfo {
        name: row.try_get("name")?,
        tasks: unsigned(row.try_get("tasks")?),
        until: row.try_get::<Time, _>("until")?.0,
    })
}

fn backlog(row: &PgRow) -> Result<QueueBacklog> {
    Ok(QueueBacklog {
        queue: row.try_get("name")?,
        due_since: row.try_get::<Option<Time>, _>("due_since")?.map(|time| time.0),
        running: unsigned(row.try_get("running")?),
    })
}
