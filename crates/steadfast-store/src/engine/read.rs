//! The role that reads tasks, queues and counts.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::Result;
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::stats::{Counts, DueTimes, QueueInfo};
use crate::queue::worker_status::WorkerStatus;
use crate::task::filter::{Documents, Filter};
use crate::task::{StoredTask, TaskId};

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

    /// Ended tasks, all or those of one correlation id, the latest first, without their history
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

    /// Recently ended tasks by the minute, and upcoming ones by the hour.
    async fn activity(&self) -> Result<Activity>;

    /// Every queue that has ever had a task.
    async fn queues(&self) -> Result<Vec<QueueInfo>>;

    /// Sessions that ended in a time window, both ends included, aggregated by policy and
    /// subsystem (O1). The same policy and subsystem may have several rows.
    async fn rollups(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>>;

    /// The workers that hold tasks, and the backlog of each queue (H2).
    async fn worker_status(&self) -> Result<WorkerStatus>;
}
