//! An engine that a test can come between: a real one, which may be away, deaf or mute.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use steadfast_store::{
    Activity, Actor, Admission, AuditEntry, AuditQuery, BreakerCommand, BreakerOverride,
    BreakerReport, BudgetReport, ClaimRequest, Claimed, Claims, Connection, Counts, Documents, Due,
    Engine, Executions, FencingToken, Filter, Heartbeat, Page, PageRequest, Promoted, Pruned,
    QueueInfo, Record, RecordKind, Reports, Requeue, Requeued, Result, Retention, Rollup, Settled,
    Settlement, Store, StoreError, StoredTask, Submitted, TaskId, Wakes, WorkerReport,
    WorkerStatus,
};
use tokio::sync::{Notify, watch};

pub(crate) struct Wrapped {
    inner: Arc<dyn Engine>,
    away: AtomicBool,
    /// How often it was asked while it was away.
    pub(crate) refused: AtomicUsize,
    pub(crate) was_refused: Notify,
    hears_heartbeats: watch::Sender<bool>,
    hears_reports: AtomicBool,
    pub(crate) heartbeats: AtomicUsize,
    pub(crate) heartbeat: Notify,
    /// How many claims and settlements the database itself did not take.
    pub(crate) failed: watch::Sender<usize>,
    /// How many histories were packed.
    pub(crate) packed: watch::Sender<u64>,
    nobody: Option<Wakes>,
}

impl Wrapped {
    pub(crate) fn around(inner: Arc<dyn Engine>) -> Self {
        Self {
            inner,
            away: AtomicBool::new(false),
            refused: AtomicUsize::new(0),
            was_refused: Notify::new(),
            hears_heartbeats: watch::Sender::new(true),
            hears_reports: AtomicBool::new(true),
            heartbeats: AtomicUsize::new(0),
            heartbeat: Notify::new(),
            failed: watch::Sender::new(0),
            packed: watch::Sender::new(0),
            nobody: None,
        }
    }

    /// Nobody is woken by it.
    pub(crate) fn without_wakes(mut self) -> Self {
        self.nobody = Some(Wakes::default());
        self
    }

    pub(crate) fn store(self) -> (Arc<Self>, Store) {
        let engine = Arc::new(self);
        (engine.clone(), Store::on(engine))
    }

    /// Whether the database cannot be reached.
    pub(crate) fn is_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    /// Whether heartbeats arrive. Those that do not are answered when they do again.
    pub(crate) fn hears_heartbeats(&self, hears: bool) {
        self.hears_heartbeats.send_replace(hears);
    }

    /// What workers and budgets say of themselves is never answered.
    pub(crate) fn deaf_to_reports(self) -> Self {
        self.hears_reports.store(false, Ordering::SeqCst);
        self
    }

    async fn hear_report(&self) -> Result<&dyn Reports> {
        if !self.hears_reports.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(self.reach()?.reports())
    }

    fn heed<T>(&self, answer: Result<T>) -> Result<T> {
        answer.inspect_err(|_| self.failed.send_modify(|failed| *failed += 1))
    }

    fn reach(&self) -> Result<&dyn Engine> {
        if !self.away.load(Ordering::SeqCst) {
            return Ok(&*self.inner);
        }
        self.refused.fetch_add(1, Ordering::SeqCst);
        self.was_refused.notify_one();
        Err(StoreError::Unreachable(sqlx::Error::PoolTimedOut))
    }
}

#[async_trait]
impl Engine for Wrapped {
    async fn now(&self) -> Result<Timestamp> {
        self.reach()?.now().await
    }

    async fn submit(&self, tasks: Vec<Admission>) -> Result<Vec<Submitted>> {
        self.reach()?.submit(tasks).await
    }

    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<Admission>,
    ) -> Result<Vec<Submitted>> {
        self.reach()?.submit_within(connection, tasks).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        self.heed(self.reach()?.claim(request).await)
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.hears_heartbeats.subscribe().wait_for(|hears| *hears).await.unwrap();
        let answer = self.reach()?.heartbeat(leases, running, lease).await;
        self.heartbeats.fetch_add(1, Ordering::SeqCst);
        self.heartbeat.notify_one();
        answer
    }

    async fn held(&self, id: TaskId, version: FencingToken) -> Result<Option<Claimed>> {
        self.reach()?.held(id, version).await
    }

    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        self.heed(self.reach()?.settle(settlements).await)
    }

    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.reach()?.promote(limit).await
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        self.reach()?.reclaim_expired(worker, limit).await
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        self.reach()?.task(id).await
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        self.reach()?.histories(ids).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        self.reach()?.task_by_key(key).await
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        self.reach()?.tasks(filter, page, documents).await
    }

    async fn latest_ended(
        &self,
        request: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        self.reach()?.latest_ended(request, page).await
    }

    async fn counts(&self) -> Result<Counts> {
        self.reach()?.counts().await
    }

    async fn due(&self) -> Result<Due> {
        self.reach()?.due().await
    }

    async fn activity(&self) -> Result<Activity> {
        self.reach()?.activity().await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.reach()?.queues().await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        self.reach()?.worker_status().await
    }

    async fn cancel(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.reach()?.cancel(id, by).await
    }

    async fn run_now(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.reach()?.run_now(id, by).await
    }

    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        by: &Actor,
    ) -> Result<()> {
        self.reach()?.set_expiry(id, expires_at, by).await
    }

    async fn requeue(&self, filter: &Filter, how: &Requeue, by: &Actor) -> Result<Requeued> {
        self.reach()?.requeue(filter, how, by).await
    }

    async fn set_paused(&self, queue: &str, paused: bool, by: &Actor) -> Result<()> {
        self.reach()?.set_paused(queue, paused, by).await
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<()> {
        self.reach()?.audit(entry).await
    }

    async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()> {
        self.reach()?.audit_all(entries).await
    }

    async fn audited(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        self.reach()?.audited(query).await
    }

    async fn record(&self, records: &[Record]) -> Result<()> {
        self.reach()?.record(records).await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        self.reach()?.records(kind, page).await
    }

    async fn rollup(&self) -> Result<bool> {
        self.reach()?.rollup().await
    }

    async fn figures(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        self.reach()?.figures(from, to).await
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        self.reach()?.records_after(kind, number, limit).await
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        self.reach()?.report_breakers(reports).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        self.reach()?.breakers().await
    }

    async fn order_breaker(&self, policy: &str, wish: BreakerCommand, by: &Actor) -> Result<()> {
        self.reach()?.order_breaker(policy, wish, by).await
    }

    async fn breaker_orders(&self) -> Result<Vec<BreakerOverride>> {
        self.reach()?.breaker_orders().await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        self.reach()?.prune(retention).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        let packed = self.reach()?.compress(older_than, limit).await?;
        self.packed.send_modify(|count| *count += packed);
        Ok(packed)
    }

    fn executions(&self) -> &dyn Executions {
        self.inner.executions()
    }

    fn reports(&self) -> &dyn Reports {
        self
    }

    fn wakes(&self) -> &Wakes {
        self.nobody.as_ref().unwrap_or_else(|| self.inner.wakes())
    }
}

#[async_trait]
impl Reports for Wrapped {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        self.hear_report().await?.report_worker(report).await
    }

    async fn forget_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        self.hear_report().await?.forget_worker(name, instance).await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        self.reach()?.reports().workers().await
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        self.hear_report().await?.report_budgets(reports).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        self.reach()?.reports().budgets().await
    }
}
