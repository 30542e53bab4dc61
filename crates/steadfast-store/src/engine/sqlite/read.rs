//! Reading tasks, queues and counts (D2, D15).

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use steadfast::{Class, Policy, Reason};
use uuid::Uuid;

use super::row::{ids, micros, timestamp};
use super::{Sqlite, activity, count, history, list, now, rollup, worker_status};
use crate::engine::Read;
use crate::error::{Result, StoreError};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::claim::FencingToken;
use crate::queue::stats::{Counts, DueTimes, QueueInfo};
use crate::queue::worker_status::WorkerStatus;
use crate::task::decode_error::DecodeErrors;
use crate::task::filter::{Documents, Filter};
use crate::task::{HeldLease, LastError, Status, StoredTask, TaskId};

const READ: &str = include_str!("sql/read.sql");
const READ_COUNT_WITHIN: &str = include_str!("sql/read_count_within.sql");

#[async_trait]
impl Read for Sqlite {
    async fn now(&self) -> Result<Timestamp> {
        Ok(timestamp(self.read(|connection| Box::pin(now(connection))).await?))
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        let rows = self.read(move |connection| Box::pin(rows(connection, vec![id], Parts::ALL)));
        match rows.await?.first() {
            Some(row) => Ok(Some(self.stored(row).await?)),
            None => Ok(None),
        }
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        let ids = ids.to_vec();
        let rows = self.read(move |connection| Box::pin(rows(connection, ids, Parts::FAULTS)));
        self.all_stored(&rows.await?).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        let key = key.to_owned();
        let id = self.read(move |connection| {
            let id = sqlx::query_scalar::<_, Uuid>("SELECT id FROM steadfast_tasks WHERE key = ?1");
            let id = id.bind(key);
            Box::pin(async move { Ok(id.fetch_optional(connection).await?) })
        });
        Ok(id.await?.map(TaskId::from))
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        let (wanted, page) = (filter.clone(), page.clone());
        let found = self.read(move |connection| {
            Box::pin(async move { list::tasks(connection, &wanted, &page, documents).await })
        });
        let (rows, next) = found.await?;
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
        let (correlation_id, page) = (correlation_id.map(str::to_owned), page.clone());
        let found = self.read(|connection| {
            Box::pin(async move { list::latest_ended(connection, correlation_id, &page).await })
        });
        let (rows, next) = found.await?;
        let mut items = self.all_stored(&rows).await?;
        // A task may have been requeued between the two reads.
        items.retain(|task| task.status.is_ended());
        Ok(Page { items, next })
    }

    async fn counts(&self) -> Result<Counts> {
        self.read(|connection| Box::pin(count::counts(connection))).await
    }

    async fn due_times(&self) -> Result<DueTimes> {
        self.read(|connection| Box::pin(count::due_times(connection))).await
    }

    async fn activity(&self) -> Result<Activity> {
        activity::activity(self).await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.read(|connection| Box::pin(count::queues(connection))).await
    }

    async fn rollups(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        let (from, to) = (micros(from), micros(to));
        self.read(move |connection| Box::pin(rollup::rollups(connection, from, to))).await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        self.read(|connection| Box::pin(worker_status::worker_status(connection))).await
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
    let rows = sqlx::query(READ).bind(ids(tasks)?).bind(parts.faults).bind(parts.documents);
    Ok(rows.fetch_all(connection).await?)
}

/// How many of these tasks, from the first on, have at most this many bytes of documents. At
/// least one.
pub(super) async fn count_within(
    connection: &mut SqliteConnection,
    tasks: impl IntoIterator<Item = TaskId>,
    bytes: u64,
) -> Result<usize> {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).max(1);
    let count = sqlx::query_scalar::<_, i64>(READ_COUNT_WITHIN).bind(ids(tasks)?).bind(bytes);
    Ok(usize::try_from(count.fetch_one(connection).await?).unwrap_or_default())
}

impl Sqlite {
    /// Decodes tasks.
    pub(super) async fn all_stored(&self, rows: &[SqliteRow]) -> Result<Vec<StoredTask>> {
        let mut tasks = Vec::with_capacity(rows.len());
        for row in rows {
            tasks.push(self.stored(row).await?);
        }
        Ok(tasks)
    }

    /// Decodes a task.
    pub(super) async fn stored(&self, row: &SqliteRow) -> Result<StoredTask> {
        let id = TaskId::from(row.try_get::<Uuid, _>("id")?);
        let policy = self.policy(row.try_get("policy")?, id).await;
        let mut errors = DecodeErrors::default();
        let policy = errors.collect(policy)?;
        let mut task = TaskRow { row, id }.decode(policy, &mut errors)?;
        task.problem = errors.into_problem();
        Ok(task)
    }
}

/// The row of a task.
struct TaskRow<'r> {
    row: &'r SqliteRow,
    id: TaskId,
}

impl TaskRow<'_> {
    fn decode(&self, policy: Option<Arc<Policy>>, errors: &mut DecodeErrors) -> Result<StoredTask> {
        let row = self.row;
        let status = self.status()?;
        let ended_at = self.time("ended_at")?;
        // A success is an attempt, too. It is counted here, so that a completion writes only the
        // end.
        let is_completed = status == Status::Completed;
        let last_attempt_at = self.time("last_attempt_at")?;
        Ok(StoredTask {
            id: self.id,
            kind: row.try_get("kind")?,
            payload: self.document("payload", errors)?.unwrap_or_default(),
            queue: row.try_get("queue")?,
            category: row.try_get("category")?,
            priority: row.try_get("priority")?,
            max_attempts: policy.as_ref().map_or(0, |policy| policy.max_attempts()),
            policy,
            status,
            reason: self.named::<Reason>("reason")?,
            attempts: row.try_get::<u32, _>("attempts")? + u32::from(is_completed),
            rate_limit_waits: row.try_get("rate_limit_waits")?,
            submitted_at: timestamp(row.try_get("submitted_at")?),
            counted_from: timestamp(row.try_get("counted_from")?),
            scheduled_at: timestamp(row.try_get("due_at")?),
            last_attempt_at: if is_completed { ended_at } else { last_attempt_at },
            ended_at,
            expires_at: self.time("expires_at")?,
            lease: self.lease()?,
            last_error: self.last_error()?,
            faults: history::faults(row, self.id, errors)?,
            result: self.document("result", errors)?,
            idempotency_key: row.try_get("key")?,
            correlation_id: row.try_get("correlation_id")?,
            hold_category: row.try_get("hold_category")?,
            problem: None,
        })
    }

    /// Its state. A scheduled task that is due counts as pending before its promotion.
    fn status(&self) -> Result<Status> {
        if let Some(ended) = self.row.try_get::<Option<&str>, _>("status")? {
            return ended.parse().map_err(|problem| self.decode_error(problem));
        }
        if self.row.try_get::<Option<i64>, _>("version")?.is_some() {
            return Ok(Status::Running);
        }
        let (due_at, now): (i64, i64) = (self.row.try_get("due_at")?, self.row.try_get("now")?);
        Ok(if due_at > now { Status::Scheduled } else { Status::Pending })
    }

    fn lease(&self) -> Result<Option<HeldLease>> {
        let Some(token) = self.row.try_get("version")? else {
            return Ok(None);
        };
        let (owner, until) = (self.row.try_get("owner")?, self.row.try_get("until")?);
        let fencing_token = FencingToken(token);
        Ok(Some(HeldLease { owner, until: timestamp(until), fencing_token }))
    }

    fn last_error(&self) -> Result<Option<LastError>> {
        let Some(class) = self.named::<Class>("class")? else {
            return Ok(None);
        };
        Ok(Some(LastError { class, message: self.row.try_get("message")? }))
    }

    fn time(&self, column: &str) -> Result<Option<jiff::Timestamp>> {
        Ok(self.row.try_get::<Option<i64>, _>(column)?.map(timestamp))
    }

    /// An enum by its name.
    fn named<T: serde::de::DeserializeOwned>(&self, column: &str) -> Result<Option<T>> {
        let Some(name) = self.row.try_get::<Option<String>, _>(column)? else {
            return Ok(None);
        };
        serde_json::from_value(Value::String(name))
            .map(Some)
            .map_err(|error| self.decode_error(error))
    }

    fn document(&self, column: &str, errors: &mut DecodeErrors) -> Result<Option<Value>> {
        let Some(text) = self.row.try_get::<Option<&str>, _>(column)? else {
            return Ok(None);
        };
        let document = serde_json::from_str(text);
        errors.collect(document.map_err(|error| StoreError::cannot_decode(self.id, column, &error)))
    }

    fn decode_error(&self, problem: impl ToString) -> StoreError {
        StoreError::Decode { id: self.id, problem: problem.to_string() }
    }
}
