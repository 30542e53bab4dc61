//! Reading tasks, queues and counts (D2, D15).

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::{PgConnection, PgRow};
use uuid::Uuid;

use super::count::ScanRange;
use super::{Postgres, count, history, latest_ended, list, rollup};
use crate::engine::Read;
use crate::engine::read::{held_lease, stored_task};
use crate::engine::row::EngineRow;
use crate::error::Result;
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::stats::{Activity, Counts, DueTimes, QueueInfo};
use crate::queue::worker_status::WorkerStatus;
use crate::task::decode_error::DecodeErrors;
use crate::task::filter::{Documents, Filter};
use crate::task::{Status, StoredTask, TaskId};

const WORKERS: &str = "SELECT worker AS name, sum(open)::bigint AS tasks, min(until) AS until \
     FROM steadfast.leases WHERE open > 0 GROUP BY worker ORDER BY worker COLLATE \"C\"";
pub(super) const BACKLOGS: &str = include_str!("sql/worker_status_backlogs.sql");
const LEASE: &str = "SELECT l.version, l.worker AS owner, l.until FROM steadfast.leases l \
     WHERE $1 = ANY (l.tasks) AND get_bit(l.done, array_position(l.tasks, $1) - 1) = 0";

#[async_trait]
impl Read for Postgres {
    async fn now(&self) -> Result<Timestamp> {
        self.deadline.short(self.database_time()).await
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        let find = async { find(self, &mut *self.pool.acquire().await?, id).await };
        self.deadline.short(find).await
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        let histories = async {
            let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
            let rows = sqlx::query(include_str!("sql/read_histories.sql")).bind(ids);
            let rows = rows.fetch_all(&self.pool).await?;
            let mut tasks = Vec::with_capacity(rows.len());
            for row in &rows {
                tasks.push(self.stored_with_history(row).await?);
            }
            Ok(tasks)
        };
        self.deadline.long(histories).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        let find = sqlx::query("SELECT id FROM steadfast.tasks WHERE idempotency_key = $1");
        Ok(self.rows(find.bind(key)).await?.first().map(|row| row.id("id")).transpose()?)
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        self.deadline.long(list::tasks(self, filter, page, documents)).await
    }

    async fn latest_ended(
        &self,
        correlation_id: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        self.deadline.long(latest_ended::latest_ended(self, correlation_id, page)).await
    }

    async fn counts(&self) -> Result<Counts> {
        self.deadline.long(count::counts(self)).await
    }

    async fn due_times(&self) -> Result<DueTimes> {
        count::due_times(self).await
    }

    async fn activity(&self) -> Result<Activity> {
        let activity = async {
            let mut activity = Activity::empty(self.database_time().await?);
            let ended = self.counted(include_str!("sql/activity_ended.sql"), ScanRange::TimeSpan);
            activity.add_ended_rows(&ended.await?)?;
            let due = self.counted(include_str!("sql/activity_due.sql"), ScanRange::TimeSpan);
            activity.add_due_rows(&due.await?)?;
            Ok(activity)
        };
        self.deadline.long(activity).await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.deadline.long(count::queues(self)).await
    }

    async fn rollups(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        self.deadline.long(rollup::rollups(self, from, to)).await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        let workers = self.rows(sqlx::query(WORKERS)).await?;
        WorkerStatus::of(&workers, &self.rows(sqlx::query(BACKLOGS)).await?)
    }
}

pub(super) async fn find(
    engine: &Postgres,
    connection: &mut PgConnection,
    id: TaskId,
) -> Result<Option<StoredTask>> {
    let found = sqlx::query(include_str!("sql/read.sql")).bind(id.uuid());
    let Some(row) = found.fetch_optional(&mut *connection).await? else {
        return Ok(None);
    };
    let mut task = engine.stored_with_history(&row).await?;
    if task.status == Status::Running {
        let lease = sqlx::query(LEASE).bind(id.uuid()).fetch_optional(connection).await?;
        task.lease = lease.as_ref().map(held_lease).transpose()?;
    }
    Ok(Some(task))
}

impl Postgres {
    async fn stored_with_history(&self, row: &PgRow) -> Result<StoredTask> {
        let mut task = self.stored(row, row).await?;
        let mut errors = DecodeErrors::new(task.problem.take());
        task.faults = history::faults(row, task.id, &mut errors)?;
        task.problem = errors.into_problem();
        Ok(task)
    }

    /// Decodes tasks from their rows and the rows with their documents.
    pub(super) async fn all_stored(
        &self,
        rows: &[PgRow],
        documents: &[PgRow],
    ) -> Result<Vec<StoredTask>> {
        let mut tasks = Vec::with_capacity(rows.len());
        for (row, documents) in rows.iter().zip(documents) {
            tasks.push(self.stored(row, documents).await?);
        }
        Ok(tasks)
    }

    async fn stored(&self, row: &PgRow, documents: &PgRow) -> Result<StoredTask> {
        let mut errors = DecodeErrors::default();
        let (number, id) = (row.get("policy")?, row.id("id")?);
        let policy = errors.collect(self.names.policy_value(&self.pool, number, id).await)?;
        let mut task = stored_task(row, documents, policy, &mut errors)?;
        task.problem = errors.into_problem();
        Ok(task)
    }
}
