//! The role that reads tasks, queues and counts.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use steadfast::Policy;

use super::row::{EngineRow, named};
use crate::error::{InputError, Result, StoreError};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::claim::FencingToken;
use crate::queue::stats::{Activity, Counts, DueTimes, Ended, QueueInfo};
use crate::queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};
use crate::task::decode_error::DecodeErrors;
use crate::task::filter::{Documents, Filter};
use crate::task::{HeldLease, LastError, StoredTask, TaskId};

/// Reads tasks, queues and counts.
#[async_trait]
pub trait Read: Send + Sync + 'static {
    /// The database's time, which is the clock for every time that is written or compared.
    async fn now(&self) -> Result<Timestamp>;

    /// One task with its history.
    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>>;

    /// Tasks with their history and without documents, in this order. Missing tasks are left out.
    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>>;

    /// The task with this idempotency key.
    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>>;

    /// A page of tasks without their history. A task that cannot be decoded is included, with its
    /// problem.
    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>>;

    /// Finished tasks, all or those of one correlation id, the latest first, without their history
    /// and documents.
    async fn latest_ended(
        &self,
        correlation_id: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>>;

    /// The number of tasks in each state, in total and by queue (D15).
    async fn counts(&self) -> Result<Counts>;

    /// The first due times, read without counting (D15).
    async fn due_times(&self) -> Result<DueTimes>;

    /// Recently finished tasks by the minute, and upcoming ones by the hour.
    async fn activity(&self) -> Result<Activity>;

    /// Every queue that has ever had a task.
    async fn queues(&self) -> Result<Vec<QueueInfo>>;

    /// Sessions that ended in a time window, both ends included, aggregated by policy and
    /// subsystem (O1). The same policy and subsystem may have several rows.
    async fn rollups(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>>;

    /// The workers that hold tasks, and the backlog of each queue (H2).
    async fn worker_status(&self) -> Result<WorkerStatus>;
}

/// A task without its lease and its faults, from its row and the row with its documents.
pub(super) fn stored_task<R: EngineRow>(
    row: &R,
    documents: &R,
    policy: Option<Arc<Policy>>,
    errors: &mut DecodeErrors,
) -> Result<StoredTask> {
    let id = row.id("id")?;
    let status = row.text("status")?.parse();
    let status = status.map_err(|error: InputError| {
        let problem = error.to_string();
        StoreError::Decode { id, problem }
    })?;
    let message: Option<String> = row.get("last_message")?;
    let last_error = |class| LastError { class, message: message.unwrap_or_default() };
    Ok(StoredTask {
        id,
        kind: row.get("kind")?,
        payload: document(id, documents, "payload", errors)?.unwrap_or_default(),
        queue: row.get("queue")?,
        category: row.get("category")?,
        priority: row.get("priority")?,
        max_attempts: policy.as_ref().map_or(0, |policy| policy.max_attempts()),
        policy,
        status,
        reason: row.maybe_text("reason")?.and_then(named),
        attempts: row.small_count("attempts")?,
        rate_limit_waits: row.small_count("rate_limit_waits")?,
        submitted_at: row.time("submitted_at")?,
        counted_from: row.time("counted_from")?,
        scheduled_at: row.time("scheduled_at")?,
        last_attempt_at: row.maybe_time("last_attempt_at")?,
        ended_at: row.maybe_time("ended_at")?,
        expires_at: row.maybe_time("expires_at")?,
        lease: None,
        last_error: row.maybe_text("last_class")?.and_then(named).map(last_error),
        faults: Vec::new(),
        result: document(id, documents, "result", errors)?,
        idempotency_key: row.get("idempotency_key")?,
        correlation_id: row.get("correlation_id")?,
        hold_category: row.get("hold_category")?,
        problem: None,
    })
}

fn document(
    id: TaskId,
    row: &impl EngineRow,
    column: &str,
    errors: &mut DecodeErrors,
) -> Result<Option<Value>> {
    let document = row.maybe_text(column)?.map(serde_json::from_str).transpose();
    let document = document.map_err(|error| StoreError::cannot_decode(id, column, &error));
    Ok(errors.collect(document)?.flatten())
}

pub(super) fn held_lease(row: &impl EngineRow) -> Result<HeldLease> {
    let fencing_token = FencingToken(row.get("version")?);
    Ok(HeldLease { owner: row.get("owner")?, until: row.time("until")?, fencing_token })
}

pub(super) fn due_times(row: &impl EngineRow) -> Result<DueTimes> {
    let (next_due, due_since) = (row.maybe_time("next_due")?, row.maybe_time("due_since")?);
    Ok(DueTimes { next_due, due_since })
}

impl Activity {
    pub(super) fn add_ended_rows(&mut self, rows: &[impl EngineRow]) -> Result<()> {
        for row in rows {
            let ended = Ended { completed: row.count("completed")?, failed: row.count("failed")? };
            self.add_ended(row.get("minutes_ago")?, ended);
        }
        Ok(())
    }

    pub(super) fn add_due_rows(&mut self, rows: &[impl EngineRow]) -> Result<()> {
        for row in rows {
            self.add_due(row.get("hours")?, row.count("tasks")?);
        }
        Ok(())
    }
}

impl WorkerStatus {
    pub(super) fn of<R: EngineRow>(workers: &[R], backlogs: &[R]) -> Result<Self> {
        let worker = |row: &R| {
            let (name, tasks) = (row.get("name")?, row.count("tasks")?);
            Ok(WorkerInfo { name, tasks, until: row.time("until")? })
        };
        let backlog = |row: &R| {
            let (queue, due_since) = (row.get("name")?, row.maybe_time("due_since")?);
            Ok(QueueBacklog { queue, due_since, running: row.count("running")? })
        };
        let workers = workers.iter().map(worker).collect::<Result<_>>()?;
        Ok(Self { workers, backlogs: backlogs.iter().map(backlog).collect::<Result<_>>()? })
    }
}
