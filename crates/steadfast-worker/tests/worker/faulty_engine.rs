//! A store whose engine can be made unreachable, slow or silent: the roles that a worker calls are
//! wrapped, the others are those of the real engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use steadfast_store::engine::{Claim, Engine, Maintain, Report, Roles, Settle};
use steadfast_store::{
    BreakerOverride, BreakerReport, BudgetReport, ClaimRequest, Claimed, Claims, FencingToken,
    Heartbeat, Notifier, Promoted, Pruned, Result, Retention, Settled, Settlement, Store,
    StoreError, TaskId, WorkerReport,
};
use tokio::sync::{Notify, watch};

pub(crate) struct FaultyEngine {
    inner: Roles,
    unreachable: AtomicBool,
    /// The number of calls while the engine was unreachable.
    pub(crate) rejected_calls: AtomicUsize,
    pub(crate) call_rejected: Notify,
    deliver_heartbeats: watch::Sender<bool>,
    answers_reports: AtomicBool,
    pub(crate) heartbeats: AtomicUsize,
    pub(crate) heartbeat: Notify,
    /// The number of claims and settlements that the database itself failed.
    pub(crate) failed: watch::Sender<usize>,
    /// The number of compressed histories.
    pub(crate) compressed: watch::Sender<u64>,
}

impl FaultyEngine {
    pub(crate) fn new(inner: Arc<dyn Engine>) -> Self {
        Self {
            inner: inner.into(),
            unreachable: AtomicBool::new(false),
            rejected_calls: AtomicUsize::new(0),
            call_rejected: Notify::new(),
            deliver_heartbeats: watch::Sender::new(true),
            answers_reports: AtomicBool::new(true),
            heartbeats: AtomicUsize::new(0),
            heartbeat: Notify::new(),
            failed: watch::Sender::new(0),
            compressed: watch::Sender::new(0),
        }
    }

    /// Sends no wake-ups.
    pub(crate) fn without_wakes(mut self) -> Self {
        self.inner.notifier = Notifier::default();
        self
    }

    pub(crate) fn store(self) -> (Arc<Self>, Store) {
        let faulty = Arc::new(self);
        let roles = Roles {
            claim: faulty.clone(),
            settle: faulty.clone(),
            maintain: faulty.clone(),
            report: faulty.clone(),
            ..faulty.inner.clone()
        };
        (faulty, Store::with_roles(roles))
    }

    /// Makes the engine unreachable, or reachable again.
    pub(crate) fn set_unreachable(&self, unreachable: bool) {
        self.unreachable.store(unreachable, Ordering::SeqCst);
    }

    /// Delivers heartbeats, or delays them until they are delivered again.
    pub(crate) fn deliver_heartbeats(&self, deliver: bool) {
        self.deliver_heartbeats.send_replace(deliver);
    }

    /// Never answers the reports of workers and budgets.
    pub(crate) fn without_report_answers(self) -> Self {
        self.answers_reports.store(false, Ordering::SeqCst);
        self
    }

    async fn reach_report(&self) -> Result<&dyn Report> {
        if !self.answers_reports.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(&*self.reach()?.report)
    }

    fn count_failure<T>(&self, answer: Result<T>) -> Result<T> {
        answer.inspect_err(|_| self.failed.send_modify(|failed| *failed += 1))
    }

    fn reach(&self) -> Result<&Roles> {
        if !self.unreachable.load(Ordering::SeqCst) {
            return Ok(&self.inner);
        }
        self.rejected_calls.fetch_add(1, Ordering::SeqCst);
        self.call_rejected.notify_one();
        Err(StoreError::timed_out())
    }
}

#[async_trait]
impl Claim for FaultyEngine {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        self.count_failure(self.reach()?.claim.claim(request).await)
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.deliver_heartbeats.subscribe().wait_for(|deliver| *deliver).await.unwrap();
        let answer = self.reach()?.claim.heartbeat(leases, running, lease).await;
        self.heartbeats.fetch_add(1, Ordering::SeqCst);
        self.heartbeat.notify_one();
        answer
    }

    async fn held(&self, id: TaskId, fencing_token: FencingToken) -> Result<Option<Claimed>> {
        self.reach()?.claim.held(id, fencing_token).await
    }
}

#[async_trait]
impl Settle for FaultyEngine {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        self.count_failure(self.reach()?.settle.settle(settlements).await)
    }
}

#[async_trait]
impl Maintain for FaultyEngine {
    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.reach()?.maintain.promote(limit).await
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        self.reach()?.maintain.reclaim_expired(worker, limit).await
    }

    async fn rollup(&self) -> Result<bool> {
        self.reach()?.maintain.rollup().await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        self.reach()?.maintain.prune(retention).await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        self.reach()?.maintain.prune_executions(retention).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        let compressed = self.reach()?.maintain.compress(older_than, limit).await?;
        self.compressed.send_modify(|count| *count += compressed);
        Ok(compressed)
    }
}

#[async_trait]
impl Report for FaultyEngine {
    async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        self.reach_report().await?.report_worker(report).await
    }

    async fn deregister_worker(&self, name: &str, instance: Option<&str>) -> Result<()> {
        self.reach_report().await?.deregister_worker(name, instance).await
    }

    async fn workers(&self) -> Result<Vec<WorkerReport>> {
        self.reach()?.report.workers().await
    }

    async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        self.reach_report().await?.report_budgets(reports).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>> {
        self.reach()?.report.budgets().await
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        self.reach()?.report.report_breakers(reports).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        self.reach()?.report.breakers().await
    }

    async fn breaker_overrides(&self) -> Result<Vec<BreakerOverride>> {
        self.reach()?.report.breaker_overrides().await
    }
}
