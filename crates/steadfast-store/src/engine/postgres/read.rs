//! Reading tasks, queues and counts (D2, D15).

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};
use steadfast::{Class, Policy, Reason};
use uuid::Uuid;

use super::row::count;
use super::time::Time;
use super::{Postgres, activity, count as counts, latest_ended, list, rollup, worker_status};
use crate::engine::Read;
use crate::error::{InputError, Result, StoreError};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::claim::FencingToken;
use crate::queue::stats::{Counts, DueTimes, QueueInfo};
use crate::queue::worker_status::WorkerStatus;
use crate::task::decode_error::DecodeErrors;
use crate::task::faults::faults;
use crate::task::filter::{Documents, Filter};
use crate::task::{HeldLease, LastError, Status, StoredTask, TaskId};

const READ: &str = include_str!("sql/read.sql");
const READ_HISTORIES: &str = include_str!("sql/read_histories.sql");
/// The lease of a running task.
const LEASE: &str = "SELECT l.version, l.worker, l.until FROM steadfast.leases l \
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
            let rows = sqlx::query(READ_HISTORIES).bind(ids).fetch_all(&self.pool).await?;
            let mut tasks = Vec::with_capacity(rows.len());
            for row in &rows {
                tasks.push(self.stored_with_history(row).await?);
            }
            Ok(tasks)
        };
        self.deadline.long(histories).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        let find = async {
            let find = "SELECT id FROM steadfast.tasks WHERE idempotency_key = $1";
            let id: Option<Uuid> =
                sqlx::query_scalar(find).bind(key).fetch_optional(&self.pool).await?;
            Ok(id.map(TaskId::from))
        };
        self.deadline.short(find).await
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
        self.deadline.long(counts::counts(self)).await
    }

    async fn due_times(&self) -> Result<DueTimes> {
        self.deadline.short(counts::due_times(&self.pool)).await
    }

    async fn activity(&self) -> Result<Activity> {
        self.deadline.long(activity::activity(self)).await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.deadline.long(counts::queues(self)).await
    }

    async fn rollups(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        self.deadline.long(rollup::rollups(self, from, to)).await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        self.deadline.short(worker_status::worker_status(&self.pool)).await
    }
}

/// One task with its history.
pub(super) async fn find(
    engine: &Postgres,
    connection: &mut PgConnection,
    id: TaskId,
) -> Result<Option<StoredTask>> {
    let found = sqlx::query(READ).bind(id.uuid()).fetch_optional(&mut *connection).await?;
    let Some(row) = found else {
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
    /// Decodes a task with its faults.
    async fn stored_with_history(&self, row: &PgRow) -> Result<StoredTask> {
        let mut task = self.stored(row, row).await?;
        let mut errors = DecodeErrors::new(task.problem.take());
        let (records, times): (Vec<String>, Vec<Time>) =
            (row.try_get("loose_faults")?, row.try_get("loose_times")?);
        let rows = times.into_iter().map(|time| time.0).zip(records);
        task.faults = faults(task.id, row.try_get("packed_faults")?, rows, &mut errors)?;
        task.problem = errors.into_problem();
        Ok(task)
    }

    /// Decodes a task from its row and the row with its documents.
    pub(super) async fn stored(&self, row: &PgRow, documents: &PgRow) -> Result<StoredTask> {
        let id = TaskId::from(row.try_get::<Uuid, _>("id")?);
        let mut errors = DecodeErrors::default();
        let policy = self.names.policy_value(&self.pool, row.try_get("policy")?, id).await;
        let mut task = stored(id, errors.collect(policy)?, row)?;
        task.payload = document(id, documents, "payload", &mut errors)?.unwrap_or_default();
        task.result = document(id, documents, "result", &mut errors)?;
        task.problem = errors.into_problem();
        Ok(task)
    }
}

fn held_lease(row: &PgRow) -> Result<HeldLease> {
    Ok(HeldLease {
        owner: row.try_get("worker")?,
        until: row.try_get::<Time, _>("until")?.0,
        fencing_token: FencingToken(row.try_get("version")?),
    })
}

fn document(
    id: TaskId,
    row: &PgRow,
    column: &str,
    errors: &mut DecodeErrors,
) -> Result<Option<Value>> {
    let Some(text) = row.try_get::<Option<&str>, _>(column)? else {
        return Ok(None);
    };
    let document = serde_json::from_str(text);
    errors.collect(document.map_err(|error| StoreError::cannot_decode(id, column, &error)))
}

/// A task without its documents.
fn stored(id: TaskId, policy: Option<Arc<Policy>>, row: &PgRow) -> Result<StoredTask> {
    let time = |name| row.try_get::<Time, &str>(name).map(|time| time.0);
    let maybe = |name| row.try_get::<Option<Time>, &str>(name).map(|time| time.map(|time| time.0));
    let decode_error = |problem: String| StoreError::Decode { id, problem };
    let status: Status = row
        .try_get::<&str, _>("status")?
        .parse()
        .map_err(|e: InputError| decode_error(e.to_string()))?;
    let class: Option<&str> = row.try_get("last_class")?;
    let reason: Option<&str> = row.try_get("reason")?;
    let message: Option<String> = row.try_get("last_message")?;
    Ok(StoredTask {
        id,
        kind: row.try_get("kind")?,
        payload: Value::Null,
        queue: row.try_get("queue")?,
        category: row.try_get("category")?,
        priority: row.try_get("priority")?,
        max_attempts: policy.as_ref().map_or(0, |policy| policy.max_attempts()),
        policy,
        status,
        reason: reason.and_then(named::<Reason>),
        attempts: count(row.try_get("attempts")?),
        rate_limit_waits: count(row.try_get("rate_limit_waits")?),
        submitted_at: time("submitted_at")?,
        counted_from: time("counted_from")?,
        scheduled_at: time("scheduled_at")?,
        last_attempt_at: maybe("last_attempt_at")?,
        ended_at: maybe("ended_at")?,
        expires_at: maybe("expires_at")?,
        lease: None,
        last_error: class
            .and_then(named::<Class>)
            .map(|class| LastError { class, message: message.unwrap_or_default() }),
        faults: Vec::new(),
        result: None,
        idempotency_key: row.try_get("idempotency_key")?,
        correlation_id: row.try_get("correlation_id")?,
        hold_category: row.try_get("hold_category")?,
        problem: None,
    })
}

/// A class or a reason by its name in rows; `None` for a name of a newer version.
fn named<T: serde::de::DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(Value::String(name.to_owned())).ok()
}
