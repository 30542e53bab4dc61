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

pub(crate) struct Wrapped {
    inner: Roles,
    away: AtomicBool,
    /// The number of calls while the engine was away.
    pub(crate) refused: AtomicUsize,
    pub(crate) was_refused: Notify,
    hears_heartbeats: watch::Sender<bool>,
    hears_reports: AtomicBool,
    pub(crate) heartbeats: AtomicUsize,
    pub(crate) heartbeat: Notify,
    /// The number of claims and settlements that the database itself failed.
    pub(crate) failed: watch::Sender<usize>,
    /// The number of compressed histories.
    pub(crate) packed: watch::Sender<u64>,
}

impl Wrapped {
    pub(crate) fn around(inner: Arc<dyn Engine>) -> Self {
        Self {
            inner: inner.into(),
            away: AtomicBool::new(false),
            refused: AtomicUsize::new(0),
            was_refused: Notify::new(),
            hears_heartbeats: watch::Sender::new(true),
            hears_reports: AtomicBool::new(true),
            heartbeats: AtomicUsize::new(0),
            heartbeat: Notify::new(),
            failed: watch::Sender::new(0),
            packed: watch::Sender::new(0),
        }
    }

    /// Sends no wake-ups.
    pub(crate) fn without_wakes(mut self) -> Self {
        self.inner.notifier = Notifier::default();
        self
    }

    pub(crate) fn store(self) -> (Arc<Self>, Store) {
        let wrapped = Arc::new(self);
        let roles = Roles {
            claim: wrapped.clone(),
            settle: wrapped.clone(),
            maintain: wrapped.clone(),
            report: wrapped.clone(),
            ..wrapped.inner.clone()
        };
        (wrapped, Store::with_roles(roles))
    }

    /// Makes the engine unreachable, or reachable again.
    pub(crate) fn is_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }

    /// Delivers heartbeats, or delays them until they are delivered again.
    pub(crate) fn hears_heartbeats(&self, hears: bool) {
        self.hears_heartbeats.send_replace(hears);
    }

    /// Never answers the reports of workers and budgets.
    pub(crate) fn deaf_to_reports(self) -> Self {
        self.hears_reports.store(false, Ordering::SeqCst);
        self
    }

    async fn reach_report(&self) -> Result<&dyn Report> {
        if !self.hears_reports.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(&*self.reach()?.report)
    }

    fn count_failure<T>(&self, answer: Result<T>) -> Result<T> {
        answer.inspect_err(|_| self.failed.send_modify(|failed| *failed += 1))
    }

    fn reach(&self) -> Result<&Roles> {
        if !self.away.load(Ordering::SeqCst) {
            return Ok(&self.inner);
        }
        self.refused.fetch_add(1, Ordering::SeqCst);
        self.was_refused.notify_one();
        Err(StoreError::timed_out())
    }
}

#[async_trait]
impl Claim for Wrapped {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        self.count_failure(self.reach()?.claim.claim(request).await)
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.hears_heartbeats.subscribe().wait_for(|hears| *hears).await.unwrap();
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
impl Settle for Wrapped {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        self.count_failure(self.reach()?.settle.settle(settlements).await)
    }
}

#[async_trait]
impl Maintain for Wrapped {
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
        self.packed.send_modify(|count| *count += compressed);
        Ok(compressed)
    }
}

#[async_trait]
impl Report for Wrapped {
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
