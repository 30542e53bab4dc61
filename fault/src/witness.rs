//! An engine that writes down what it is asked and what it answers.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use steadfast_store::{
    Activity, Actor, Admission, AuditEntry, AuditQuery, BreakerCommand, BreakerOverride,
    BreakerReport, ClaimRequest, Claimed, Claims, Connection, Counts, Documents, Due, Engine,
    Executions, FencingToken, Filter, Heartbeat, Page, PageRequest, Promoted, Pruned, QueueInfo,
    Record, RecordKind, Reports, Requeue, Requeued, Result, Retention, Rollup, Settled, Settlement,
    StoredTask, Submitted, TaskId, Verdict, Wakes, WorkerStatus,
};

use crate::journal::{Instant, Journal, Sight, Word};

/// Passes everything on, and keeps a journal of who was granted and who said what.
pub(crate) struct Witness {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) journal: Arc<Journal>,
}

impl Witness {
    fn granted(&self, asked: Instant, tasks: impl Iterator<Item = (TaskId, FencingToken)>) {
        let (ids, versions): (Vec<_>, Vec<_>) = tasks.unzip();
        if let Some(version) = versions.first().copied() {
            self.journal.write(&Sight::Claimed { asked, granted: Instant::now(), version, ids });
        }
    }
}

const fn word(verdict: &Verdict) -> Word {
    match verdict {
        Verdict::Completed { .. } => Word::Completed,
        Verdict::Retry { .. } => Word::Retry,
        Verdict::Failed { fault: Some(_), .. } => Word::Failed,
        _ => Word::Untried,
    }
}

#[async_trait]
impl Engine for Witness {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        let asked = Instant::now();
        let claims = self.engine.claim(request).await?;
        self.granted(asked, claims.tasks.iter().map(|task| (task.id, task.version)));
        Ok(claims)
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        let asked = Instant::now();
        let seized = self.engine.reclaim_expired(worker, limit).await?;
        self.granted(asked, seized.iter().map(|(task, _)| (task.id, task.version)));
        Ok(seized)
    }

    async fn held(&self, id: TaskId, version: FencingToken) -> Result<Option<Claimed>> {
        self.engine.held(id, version).await
    }

    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let asked = Instant::now();
        let said: Vec<_> =
            settlements.iter().map(|one| (one.id, one.version, word(&one.verdict))).collect();
        for (id, version, word) in said.iter().copied() {
            self.journal.write(&Sight::Saying { at: asked, id, version, word });
        }
        let answers = self.engine.settle(settlements).await?;
        let answered = Instant::now();
        for ((id, version, word), answer) in said.into_iter().zip(answers.iter().copied()) {
            self.journal.write(&Sight::Said { asked, answered, id, version, word, answer });
        }
        Ok(answers)
    }

    async fn now(&self) -> Result<Timestamp> {
        self.engine.now().await
    }

    async fn submit(&self, tasks: Vec<Admission>) -> Result<Vec<Submitted>> {
        self.engine.submit(tasks).await
    }

    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<Admission>,
    ) -> Result<Vec<Submitted>> {
        self.engine.submit_within(connection, tasks).await
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.engine.heartbeat(leases, running, lease).await
    }

    async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.engine.promote(limit).await
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        self.engine.task(id).await
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        self.engine.histories(ids).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        self.engine.task_by_key(key).await
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        self.engine.tasks(filter, page, documents).await
    }

    async fn latest_ended(
        &self,
        request: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        self.engine.latest_ended(request, page).await
    }

    async fn counts(&self) -> Result<Counts> {
        self.engine.counts().await
    }

    async fn due(&self) -> Result<Due> {
        self.engine.due().await
    }

    async fn activity(&self) -> Result<Activity> {
        self.engine.activity().await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.engine.queues().await
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        self.engine.worker_status().await
    }

    async fn cancel(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.engine.cancel(id, by).await
    }

    async fn run_now(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.engine.run_now(id, by).await
    }

    async fn set_expiry(&self, id: TaskId, at: Option<Timestamp>, by: &Actor) -> Result<()> {
        self.engine.set_expiry(id, at, by).await
    }

    async fn requeue(&self, filter: &Filter, how: &Requeue, by: &Actor) -> Result<Requeued> {
        self.engine.requeue(filter, how, by).await
    }

    async fn set_paused(&self, queue: &str, paused: bool, by: &Actor) -> Result<()> {
        self.engine.set_paused(queue, paused, by).await
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<()> {
        self.engine.audit(entry).await
    }

    async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()> {
        self.engine.audit_all(entries).await
    }

    async fn audited(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        self.engine.audited(query).await
    }

    async fn record(&self, records: &[Record]) -> Result<()> {
        self.engine.record(records).await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        self.engine.records(kind, page).await
    }

    async fn rollup(&self) -> Result<bool> {
        self.engine.rollup().await
    }

    async fn figures(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        self.engine.figures(from, to).await
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        self.engine.records_after(kind, number, limit).await
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        self.engine.report_breakers(reports).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        self.engine.breakers().await
    }

    async fn order_breaker(&self, policy: &str, wish: BreakerCommand, by: &Actor) -> Result<()> {
        self.engine.order_breaker(policy, wish, by).await
    }

    async fn breaker_orders(&self) -> Result<Vec<BreakerOverride>> {
        self.engine.breaker_orders().await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        self.engine.prune(retention).await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        self.engine.compress(older_than, limit).await
    }

    fn executions(&self) -> &dyn Executions {
        self.engine.executions()
    }

    fn reports(&self) -> &dyn Reports {
        self.engine.reports()
    }

    fn wakes(&self) -> &Wakes {
        self.engine.wakes()
    }
}
