//! Reading tasks, queues and counts (D2, D15).

use std::ops::Range;

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;
use tokio::try_join;

use super::row::{ids, timestamp};
use super::{Sqlite, count, history, latest_ended, list, now, rollup};
use crate::engine::Read;
use crate::engine::read::{held_lease, stored_task};
use crate::engine::row::{EngineRow, signed};
use crate::error::Result;
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::stats::{Activity, Counts, DueTimes, MINUTES, QueueInfo};
use crate::queue::worker_status::WorkerStatus;
use crate::task::decode_error::DecodeErrors;
use crate::task::filter::{Documents, Filter};
use crate::task::{Status, StoredTask, TaskId};

const WORKERS: &str = "SELECT owner AS name, sum(tasks) AS tasks, min(until) AS until \
     FROM steadfast_leases WHERE tasks > 0 GROUP BY owner ORDER BY owner";
pub(super) const BACKLOGS: &str = include_str!("sql/worker_status_backlogs.sql");

#[async_trait]
impl Read for Sqlite {
    async fn now(&self) -> Result<Timestamp> {
        Ok(timestamp(now(&mut **self.reader().await?).await?))
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        let rows = rows(&mut **self.reader().await?, vec![id], Parts::ALL).await?;
        Ok(self.all_stored(&rows).await?.pop())
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        let rows = rows(&mut **self.reader().await?, ids.to_vec(), Parts::FAULTS).await?;
        self.all_stored(&rows).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        let find = sqlx::query("SELECT id FROM steadfast_tasks WHERE key = ?1");
        Ok(self.rows(find.bind(key)).await?.first().map(|row| row.id("id")).transpose()?)
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        let (rows, next) =
            list::tasks(&mut **self.reader().await?, filter, page, documents).await?;
        let mut items = self.all_stored(&rows).await?;
        // A task may have changed its state between the two reads.
        items.retain(|task| filter.status.is_none_or(|status| task.status == status));
        Ok(Page { items, next })
    }

    async fn latest_ended(
        &self,
        correlation_id: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        let (rows, next) =
            latest_ended::latest_ended(&mut **self.reader().await?, correlation_id, page).await?;
        let mut items = self.all_stored(&rows).await?;
        // A task may have been requeued between the two reads.
        items.retain(|task| task.status.is_ended());
        Ok(Page { items, next })
    }

    async fn counts(&self) -> Result<Counts> {
        count::counts(&mut **self.reader().await?).await
    }

    async fn due_times(&self) -> Result<DueTimes> {
        count::due_times(&mut **self.reader().await?).await
    }

    async fn activity(&self) -> Result<Activity> {
        let now = now(&mut **self.reader().await?).await?;
        let due = sqlx::query(include_str!("sql/activity_due.sql")).bind(now);
        // A million tasks may have ended within an hour, and a page waits for the counts. So two
        // halves of the hour and the day are counted concurrently.
        let half = MINUTES / 2;
        let recent = self.ended_between(now, 0..half);
        let earlier = self.ended_between(now, half..MINUTES);
        let (recent, earlier, due) = try_join!(recent, earlier, self.rows(due))?;
        let mut activity = Activity::empty(timestamp(now));
        activity.add_ended_rows(&recent)?;
        activity.add_ended_rows(&earlier)?;
        activity.add_due_rows(&due)?;
        Ok(activity)
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        count::queues(&mut **self.reader().await?).await
    }

    async fn rollups(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        rollup::rollups(&mut **self.reader().await?, from.as_microsecond(), to.as_microsecond())
            .await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        let mut connection = self.reader().await?;
        let now = now(&mut connection).await?;
        let workers = sqlx::query(WORKERS).fetch_all(&mut **connection).await?;
        let backlogs = sqlx::query(BACKLOGS).bind(now).fetch_all(&mut **connection).await?;
        WorkerStatus::of(&workers, &backlogs)
    }
}

/// The parts of a task that may be long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    faults: bool,
    documents: bool,
}

impl Parts {
    pub(super) const NONE: Self = Self { faults: false, documents: false };
    pub(super) const FAULTS: Self = Self { faults: true, documents: false };
    pub(super) const DOCUMENTS: Self = Self { faults: false, documents: true };
    pub(super) const ALL: Self = Self { faults: true, documents: true };
}

/// The rows of these tasks, in their order, without missing ones.
pub(super) async fn rows(
    connection: &mut SqliteConnection,
    tasks: Vec<TaskId>,
    parts: Parts,
) -> Result<Vec<SqliteRow>> {
    let rows = sqlx::query(include_str!("sql/read.sql")).bind(ids(tasks)?);
    Ok(rows.bind(parts.faults).bind(parts.documents).fetch_all(connection).await?)
}

/// How many of these tasks, from the first on, have at most this many bytes of documents. At
/// least one.
pub(super) async fn count_within(
    connection: &mut SqliteConnection,
    tasks: impl IntoIterator<Item = TaskId>,
    bytes: u64,
) -> Result<usize> {
    let count = sqlx::query_scalar::<_, i64>(include_str!("sql/read_count_within.sql"))
        .bind(ids(tasks)?)
        .bind(signed(bytes).max(1));
    Ok(usize::try_from(count.fetch_one(connection).await?).unwrap_or_default())
}

impl Sqlite {
    /// Tasks that ended in a range of whole minutes ago.
    async fn ended_between(&self, now: i64, minutes: Range<usize>) -> Result<Vec<SqliteRow>> {
        let rows = sqlx::query(include_str!("sql/activity_ended.sql")).bind(now);
        self.rows(rows.bind(signed(minutes.start)).bind(signed(minutes.end))).await
    }

    async fn all_stored(&self, rows: &[SqliteRow]) -> Result<Vec<StoredTask>> {
        let mut tasks = Vec::with_capacity(rows.len());
        for row in rows {
            tasks.push(self.stored(row).await?);
        }
        Ok(tasks)
    }

    async fn stored(&self, row: &SqliteRow) -> Result<StoredTask> {
        let mut errors = DecodeErrors::default();
        let (number, id) = (row.get("policy")?, row.id("id")?);
        let policy = errors.collect(self.policy(number, id).await)?;
        let mut task = stored_task(row, row, policy, &mut errors)?;
        if task.status == Status::Running {
            task.lease = Some(held_lease(row)?);
        }
        task.faults = history::faults(row, id, &mut errors)?;
        task.problem = errors.into_problem();
        Ok(task)
    }
}
