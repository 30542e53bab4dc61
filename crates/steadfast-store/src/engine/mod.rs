//! What a store must be able to do.
//!
//! One trait, two engines (`sqlite`, `postgres`), one conformance suite. The trait speaks of
//! tasks and batches, never of SQL; [`Store`](crate::Store) checks every input before an engine
//! sees it. Nothing here decides about retrying: an engine moves tasks between the places of
//! [`Status`](crate::Status) as it is told, and refuses what a stale lease tells it.

pub(crate) mod cache;
pub(crate) mod inspect;
pub(crate) mod postgres;
pub(crate) mod sqlite;
pub(crate) mod workflows;

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{PgConnection, SqliteConnection};

use crate::audit::{AuditEntry, AuditQuery};
use crate::control::{Actor, Requeue, Requeued};
use crate::error::Result;
use crate::events::notifier::Wakes;
use crate::events::record::{Record, RecordKind};
use crate::maintenance::retention::{Pruned, Retention};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat};
use crate::queue::settle::{Promoted, Settled, Settlement};
use crate::queue::stats::{Counts, Due, QueueInfo};
use crate::queue::submit::Admission;
use crate::queue::worker_status::WorkerStatus;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport};
use crate::report::worker::Reports;
use crate::task::filter::{Documents, Filter};
use crate::task::{StoredTask, TaskId};

use self::workflows::Executions;

/// What became of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Submitted {
    /// The task: the new one, or the one that had the idempotency key already.
    pub id: TaskId,
    /// Whether it was there already.
    pub existed: bool,
}

/// A connection of the caller's own, with a transaction begun.
#[derive(Debug)]
#[non_exhaustive]
pub enum Connection<'c> {
    /// To PostgreSQL.
    Postgres(&'c mut PgConnection),
    /// To an SQLite file.
    Sqlite(&'c mut SqliteConnection),
}

impl<'c> From<&'c mut PgConnection> for Connection<'c> {
    fn from(connection: &'c mut PgConnection) -> Self {
        Self::Postgres(connection)
    }
}

impl<'c> From<&'c mut SqliteConnection> for Connection<'c> {
    fn from(connection: &'c mut SqliteConnection) -> Self {
        Self::Sqlite(connection)
    }
}

/// A database that keeps tasks.
#[async_trait]
pub trait Engine: Send + Sync + 'static {
    /// The database's time. Every time that is written or compared is its own.
    async fn now(&self) -> Result<Timestamp>;

    /// Writes tasks, all or none. The answers are in the order of the tasks.
    async fn submit(&self, tasks: Vec<Admission>) -> Result<Vec<Submitted>>;

    /// The same within a transaction of the caller's own (D9).
    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<Admission>,
    ) -> Result<Vec<Submitted>>;

    /// Takes due tasks under one new lease (D4, D5).
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims>;

    /// Keeps leases alive, and tells which of them, and which of their `running` tasks, are
    /// the worker's no more (D7, D10).
    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat>;

    /// A task that is still held under this lease, as its worker got it.
    async fn held(&self, id: TaskId, version: FencingToken) -> Result<Option<Claimed>>;

    /// Writes what became of claimed tasks. The answers are in the order of the settlements;
    /// a stale one changes nothing (D4).
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>>;

    /// Makes up to `limit` scheduled tasks whose time has come ready.
    async fn promote(&self, limit: u32) -> Result<Promoted>;

    /// Takes over up to `limit` tasks whose leases have expired, under a new lease of `worker`,
    /// to be settled as lost. With each goes the name of the worker that lost it.
    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>>;

    /// One task, with its history.
    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>>;

    /// These tasks with their history and without documents, in this order. One that is not there is
    /// left out.
    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>>;

    /// The task that an idempotency key belongs to.
    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>>;

    /// Some tasks, without their history. One that cannot be read is there all the same.
    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>>;

    /// Tasks that have ended, all or those of a request, the latest first, without their history
    /// and documents.
    async fn latest_ended(
        &self,
        request: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>>;

    /// How many there are of what, in all and in each queue (D15).
    async fn counts(&self) -> Result<Counts>;

    /// What is due first, without counting (D15).
    async fn due(&self) -> Result<Due>;

    /// What ended lately, and what is due soon.
    async fn activity(&self) -> Result<Activity>;

    /// Every queue that a task was ever submitted to.
    async fn queues(&self) -> Result<Vec<QueueInfo>>;

    /// What ended from one time to another, both included, summed up by policy and subsystem
    /// (O1). It may name one of them more than once.
    async fn figures(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>>;

    /// Sums up the next minute that is over, and whether there was one (O1).
    async fn rollup(&self) -> Result<bool>;

    /// Who holds tasks, and how each queue's line stands (H2).
    async fn worker_status(&self) -> Result<WorkerStatus>;

    /// Calls a task off, running or not (D10).
    async fn cancel(&self, id: TaskId, by: &Actor) -> Result<()>;

    /// Makes a scheduled task due (D10).
    async fn run_now(&self, id: TaskId, by: &Actor) -> Result<()>;

    /// Changes when a task is too late (D10).
    async fn set_expiry(&self, id: TaskId, expires_at: Option<Timestamp>, by: &Actor)
    -> Result<()>;

    /// Has ended tasks tried again (D10, D16).
    async fn requeue(&self, filter: &Filter, how: &Requeue, by: &Actor) -> Result<Requeued>;

    /// Pauses a queue, or lets it go on (D10).
    async fn set_paused(&self, queue: &str, paused: bool, by: &Actor) -> Result<()>;

    /// Writes down what somebody did (K3).
    async fn audit(&self, entry: &AuditEntry) -> Result<()>;

    /// Writes down what some people did, all of it or nothing.
    async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()>;

    /// What was done, newest first.
    async fn audited(&self, query: &AuditQuery) -> Result<Page<AuditEntry>>;

    /// Keeps records of sessions and events.
    async fn record(&self, records: &[Record]) -> Result<()>;

    /// The records of a kind, newest first.
    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>>;

    /// The records of a kind that were written after the one of this number, oldest first. What
    /// is written later has a greater number, so nobody who goes on from the last misses any.
    async fn records_after(&self, kind: RecordKind, number: i64, limit: u32)
    -> Result<Vec<Record>>;

    /// Writes down how breakers of one instance stand.
    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()>;

    /// How the breakers of all instances that are still there stand.
    async fn breakers(&self) -> Result<Vec<BreakerReport>>;

    /// Writes down what somebody wants of a policy's breaker.
    async fn order_breaker(&self, policy: &str, wish: BreakerCommand, by: &Actor) -> Result<()>;

    /// What was last wanted of each breaker.
    async fn breaker_orders(&self) -> Result<Vec<BreakerOverride>>;

    /// Forgets what is past its retention, a bounded piece of it at a time (D14).
    async fn prune(&self, retention: &Retention) -> Result<Pruned>;

    /// Packs the history of up to `limit` tasks that ended before `older_than` ago (D14).
    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64>;

    /// What keeps executions of workflows.
    fn executions(&self) -> &dyn Executions;

    /// What keeps the reports of workers and budgets.
    fn reports(&self) -> &dyn Reports;

    /// What there is to be woken by.
    fn wakes(&self) -> &Wakes;
}
