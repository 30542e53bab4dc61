//! Who is at work, and on what (H2).

use sqlx::Row;
use sqlx::postgres::PgRow;

use super::Postgres;
use super::row::unsigned;
use super::time::Time;
use crate::error::Result;
use crate::queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};

const WORKERS: &str = include_str!("sql/work_workers.sql");
const LINES: &str = include_str!("sql/lines.sql");

impl Postgres {
    pub(super) async fn read_worker_status(&self) -> Result<WorkerStatus> {
        let workers = sqlx::query(WORKERS).fetch_all(&self.pool).await?;
        let lines = sqlx::query(LINES).fetch_all(&self.pool).await?;
        Ok(WorkerStatus {
            workers: workers.iter().map(worker).collect::<Result<_>>()?,
            lines: lines.iter().map(line).collect::<Result<_>>()?,
        })
    }
}

fn worker(row: &PgRow) -> Result<WorkerInfo> {
    Ok(WorkerInfo {
        name: row.try_get("name")?,
        tasks: unsigned(row.try_get("tasks")?),
        until: row.try_get::<Time, _>("until")?.0,
    })
}

fn line(row: &PgRow) -> Result<QueueBacklog> {
    Ok(QueueBacklog {
        queue: row.try_get("name")?,
        due_since: row.try_get::<Option<Time>, _>("due_since")?.map(|time| time.0),
        running: unsigned(row.try_get("running")?),
    })
}
