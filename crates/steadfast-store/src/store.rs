//! The store that a program holds.
//!
//! It checks what comes in, looks policies up, and leaves the keeping to an
//! [`Engine`](crate::engine::Engine), so that both engines see the same checked input.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::Policy;

use crate::audit::{AuditEntry, AuditQuery};
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::{Connection, Engine, Submitted};
use crate::error::{Invalid, Result, StoreError};
use crate::events::completion_feed::{self, CompletionFeed, Tellers};
use crate::events::metrics;
use crate::events::notifier::{Listener, Wake};
use crate::events::record::{Record, RecordKind};
use crate::maintenance::retention::{Pruned, Retention};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat, check_lease};
use crate::queue::settle::{Promoted, Settled, Settlement};
use crate::queue::stats::{Counts, Due, QueueInfo, Stats};
use crate::queue::submit::{Admission, FindPolicy, Policies};
use crate::queue::worker_status::WorkerStatus;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport};
use crate::retry::schedule::Preview;
use crate::task::filter::{Documents, Filter};
use crate::task::{StoredTask, Task, TaskId, name};

/// Keeps tasks: in an SQLite file, or in PostgreSQL for many instances (D1). Cheap to clone;
/// clones are the same store.
#[derive(Clone)]
pub struct Store {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) find_policy: Arc<FindPolicy>,
    name: Arc<str>,
    pub(crate) tellers: Arc<Tellers>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Store {
    /// A store on an engine that is open already.
    #[must_use]
    pub fn on(engine: Arc<dyn Engine>) -> Self {
        let tellers = Arc::default();
        Self { engine, find_policy: Arc::new(|_| None), name: "a store".into(), tellers }
    }

    /// The same store under this name.
    pub(crate) fn called(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// What it was opened by, without its secrets, for people to know it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where to look for policies by name, before the presets. A task that names none is kept
    /// under the one that is called `default`.
    #[must_use]
    pub fn with_policies(
        mut self,
        find: impl Fn(&str) -> Option<Arc<Policy>> + Send + Sync + 'static,
    ) -> Self {
        self.find_policy = Arc::new(find);
        self
    }

    /// The store's time.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn now(&self) -> Result<Timestamp> {
        self.engine.now().await
    }

    /// Takes a task. When this returns, it is kept.
    ///
    /// # Errors
    /// The task cannot be taken (and nothing was written), its idempotency key or its id belongs
    /// to other work, or the database failed. After the latter the same task can be submitted
    /// again: it has its id already, so it will be one task.
    pub async fn submit(&self, task: Task) -> Result<Submitted> {
        let all = self.submit_all(vec![task]).await?;
        all.into_iter().next().ok_or_else(short_answer)
    }

    /// Takes many tasks, all or none. The answers are in their order.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub async fn submit_all(&self, tasks: Vec<Task>) -> Result<Vec<Submitted>> {
        let admissions = self.admit(tasks).await?;
        let queues: Vec<_> =
            admissions.iter().map(|admission| admission.draft.queue.clone()).collect();
        let submitted = self.engine.submit(admissions).await?;
        let new = queues.iter().zip(&submitted).filter(|(_, submitted)| !submitted.existed);
        metrics::submitted(new.map(|(queue, _)| &**queue));
        Ok(submitted)
    }

    /// Takes tasks within a transaction of the caller's own: they are there if and when it
    /// commits. Workers find them by their slow poll, or at once after a [`wake`](Self::wake).
    ///
    /// ```
    /// # use steadfast_store::{Store, Task};
    /// # async fn example(store: Store, pool: sqlx::PgPool) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut transaction = pool.begin().await?;
    /// sqlx::query("INSERT INTO orders VALUES (42)").execute(&mut *transaction).await?;
    /// store.submit_within(&mut *transaction, vec![Task::new("send-invoice", &42)]).await?;
    /// transaction.commit().await?;
    /// store.wake();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`submit`](Self::submit), or the connection is not one to this kind of database.
    pub async fn submit_within(
        &self,
        connection: impl Into<Connection<'_>>,
        tasks: Vec<Task>,
    ) -> Result<Vec<Submitted>> {
        let connection = connection.into();
        let admissions = self.admit(tasks).await?;
        self.engine.submit_within(connection, admissions).await
    }

    /// What would become of a task, without taking it (D18).
    ///
    /// # Errors
    /// The task could not be taken, or the database failed.
    pub async fn preview(&self, task: Task) -> Result<Preview> {
        let now = self.now().await?;
        let mut policies = Policies::new(&*self.find_policy);
        Ok(Preview::of(&Admission::new(task, &mut policies, now)?, now))
    }

    async fn admit(&self, tasks: Vec<Task>) -> Result<Vec<Admission>> {
        let now = match tasks.iter().any(Task::has_a_past) {
            true => self.now().await?,
            false => Timestamp::UNIX_EPOCH,
        };
        let mut policies = Policies::new(&*self.find_policy);
        let admit = |(place, task)| {
            Ok(Admission::new(task, &mut policies, now).map_err(|invalid| invalid.at(place))?)
        };
        (0..).zip(tasks).map(admit).collect()
    }

    /// Tells the workers of this process that tasks may be ready.
    pub fn wake(&self) {
        self.engine.wakes().tell(Wake::Ready);
    }

    /// Hears that there is something to do.
    #[must_use]
    pub fn listen(&self) -> Listener {
        self.engine.wakes().listen()
    }

    /// Hears which tasks end through this store and its clones from now on.
    #[must_use]
    pub fn listen_to_ends(&self) -> CompletionFeed {
        self.tellers.listen()
    }

    /// Takes due tasks under one new lease.
    ///
    /// # Errors
    /// The request makes no sense, or the database failed.
    pub async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        request.check()?;
        let claims = self.engine.claim(request).await?;
        metrics::claimed(&claims);
        Ok(claims)
    }

    /// Keeps leases alive.
    ///
    /// # Errors
    /// The lease is too short or too long, or the database failed. The leases last as long as they did
    /// before.
    pub async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        check_lease(lease)?;
        self.engine.heartbeat(leases, running, lease).await
    }

    /// A task that is still held under this lease, as its worker got it: for a worker that only
    /// remembers the two numbers and wants to know what follows from a failure.
    ///
    /// # Errors
    /// The database failed.
    pub async fn held(&self, id: TaskId, version: FencingToken) -> Result<Option<Claimed>> {
        self.engine.held(id, version).await
    }

    /// Writes what became of claimed tasks. What a stale lease says is refused, and told so.
    ///
    /// # Errors
    /// A result is too big, or the database failed; then nothing was written.
    pub async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        for settlement in &settlements {
            settlement.verdict.check()?;
        }
        // Whoever begins to listen while it is written wants to hear of it.
        let ending = completion_feed::ending(&settlements);
        let answers = self.engine.settle(settlements).await?;
        self.tellers.tell(&completion_feed::accepted(ending, &answers));
        Ok(answers)
    }

    /// Makes scheduled tasks whose time has come ready.
    ///
    /// # Errors
    /// The database failed.
    pub async fn promote(&self, limit: u32) -> Result<Promoted> {
        self.engine.promote(limit).await
    }

    /// Takes over tasks whose workers were lost, to be settled as such.
    ///
    /// # Errors
    /// The worker has no name, or the database failed.
    pub async fn reclaim_expired(
        &self,
        worker: &str,
        limit: u32,
    ) -> Result<Vec<(Claimed, String)>> {
        name("worker", worker)?;
        self.engine.reclaim_expired(worker, limit).await
    }

    /// One task, with its history.
    ///
    /// # Errors
    /// There is none, or the database failed.
    pub async fn task(&self, id: TaskId) -> Result<StoredTask> {
        self.engine.task(id).await?.ok_or(StoreError::NotFound(id))
    }

    /// These tasks with their history, and without their payloads and results, in this order. One that
    /// is not there is left out.
    ///
    /// # Errors
    /// The database failed.
    pub async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        self.engine.histories(ids).await
    }

    /// The task that an idempotency key belongs to.
    ///
    /// # Errors
    /// It is none that a task can have, or the database failed.
    pub async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        name("idempotency_key", key)?;
        self.engine.task_by_key(key).await
    }

    /// Some tasks, without their history.
    ///
    /// # Errors
    /// The filter has a name that no task can have, the page's cursor is not one of this list,
    /// or the database failed.
    pub async fn tasks(&self, filter: &Filter, page: &PageRequest) -> Result<Page<StoredTask>> {
        self.tasks_with(filter, page, Documents::default()).await
    }

    /// The same with as much of payloads and results as is wanted.
    ///
    /// # Errors
    /// As for [`tasks`](Self::tasks).
    pub async fn tasks_with(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        filter.check()?;
        self.engine.tasks(filter, page, documents).await
    }

    /// Tasks that have ended, all or those of a request, the latest first, without their history,
    /// payloads and results. One that is requeued is not among them until it ends again.
    ///
    /// # Errors
    /// No task can have this correlation id, the page's cursor is not one of this list, or the
    /// database failed.
    pub async fn latest_ended(
        &self,
        correlation_id: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        correlation_id.map_or(Ok(()), |id| name("correlation_id", id))?;
        self.engine.latest_ended(correlation_id, page).await
    }

    /// How many there are of what.
    ///
    /// # Errors
    /// The database failed.
    pub async fn stats(&self) -> Result<Stats> {
        Ok(self.counts().await?.stats)
    }

    /// The same with every queue, as one look sees them.
    ///
    /// # Errors
    /// The database failed.
    pub async fn counts(&self) -> Result<Counts> {
        self.engine.counts().await
    }

    /// When the next task is due, and since when the first of those that are due waits. It is
    /// known at once where counting takes long.
    ///
    /// # Errors
    /// The database failed.
    pub async fn due(&self) -> Result<Due> {
        self.engine.due().await
    }

    /// What ended in each minute of the last hour, and what is due in each hour of the next day.
    ///
    /// # Errors
    /// The database failed.
    pub async fn activity(&self) -> Result<Activity> {
        self.engine.activity().await
    }

    /// Every queue.
    ///
    /// # Errors
    /// The database failed.
    pub async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.engine.queues().await
    }

    /// What ended from one time to another, both included, summed up by policy and subsystem:
    /// tasks, and the sessions of processes that were recorded here (O1). One policy and
    /// subsystem may have two rows.
    ///
    /// # Errors
    /// The database failed.
    pub async fn figures(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        self.engine.figures(from, to).await
    }

    /// Sums up what ended in the next minute that is over, so that [`figures`](Self::figures)
    /// need not count it one by one; whether there was one. Workers do so, and it is enough if
    /// somebody does.
    ///
    /// # Errors
    /// The database failed.
    pub async fn rollup(&self) -> Result<bool> {
        self.engine.rollup().await
    }

    /// Who holds tasks, and how each queue's line stands.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_status(&self) -> Result<WorkerStatus> {
        self.engine.worker_status().await
    }

    /// Calls a task off. A worker that has it is told, and its last word is refused.
    ///
    /// # Errors
    /// There is none, it has ended, or the database failed.
    pub async fn cancel(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.engine.cancel(id, by).await?;
        self.tellers.tell(&[id]);
        Ok(())
    }

    /// Makes a scheduled task due now.
    ///
    /// # Errors
    /// There is none, it is running or has ended, or the database failed.
    pub async fn run_now(&self, id: TaskId, by: &Actor) -> Result<()> {
        self.engine.run_now(id, by).await
    }

    /// Changes when a task is too late; never, if there is no time.
    ///
    /// # Errors
    /// There is none, it has ended, or the database failed.
    pub async fn set_expiry(&self, id: TaskId, at: Option<Timestamp>, by: &Actor) -> Result<()> {
        self.engine.set_expiry(id, at, by).await
    }

    /// Has one ended task tried again.
    ///
    /// # Errors
    /// There is none, it has not ended, or the database failed.
    pub async fn requeue(&self, id: TaskId, fresh: bool, by: &Actor) -> Result<()> {
        self.requeue_with(id, &Requeue { fresh, ..Requeue::fresh() }, by).await
    }

    /// The same, in a way that says more.
    ///
    /// # Errors
    /// As for [`requeue`](Self::requeue).
    pub async fn requeue_with(&self, id: TaskId, how: &Requeue, by: &Actor) -> Result<()> {
        let requeued = self.engine.requeue(&Filter::id(id), how, by).await?;
        if requeued.count == 1 {
            return Ok(());
        }
        let status = self.task(id).await?.status;
        Err(StoreError::WrongStatus { id, status, wanted: "requeued" })
    }

    /// Has ended tasks tried again, not all at once if so wished (D16).
    ///
    /// # Errors
    /// The filter or the rate makes no sense, or the database failed.
    pub async fn requeue_all(&self, which: &Filter, how: &Requeue, by: &Actor) -> Result<Requeued> {
        if how.per_second.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            return Err(Invalid::new("rate", "must be more than none a second").into());
        }
        which.check()?;
        self.engine.requeue(which, how, by).await
    }

    /// Takes nothing more from a queue.
    ///
    /// # Errors
    /// The queue has no name, or the database failed.
    pub async fn pause(&self, queue: &str, by: &Actor) -> Result<()> {
        name("queue", queue)?;
        self.engine.set_paused(queue, true, by).await
    }

    /// Takes from a queue again.
    ///
    /// # Errors
    /// The queue has no name, or the database failed.
    pub async fn resume(&self, queue: &str, by: &Actor) -> Result<()> {
        name("queue", queue)?;
        self.engine.set_paused(queue, false, by).await
    }

    /// Writes down what somebody did.
    ///
    /// # Errors
    /// The database failed.
    pub async fn audit(&self, entry: &AuditEntry) -> Result<()> {
        self.engine.audit(entry).await
    }

    /// Writes down what some people did, all of it or nothing, in one go.
    ///
    /// # Errors
    /// The database failed.
    pub async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()> {
        match entries {
            [] => Ok(()),
            entries => self.engine.audit_all(entries).await,
        }
    }

    /// What was done, newest first. A page looks at a bounded number of entries for those that are
    /// asked for, so it may be short, even empty, and still say where to go on.
    ///
    /// # Errors
    /// The query has a name that nobody can have, or the database failed.
    pub async fn audited(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let named = [("target", &query.target), ("actor", &query.actor), ("action", &query.action)];
        for (field, given) in named {
            given.as_deref().map_or(Ok(()), |given| name(field, given))?;
        }
        self.engine.audited(query).await
    }

    /// Keeps records of sessions and events.
    ///
    /// # Errors
    /// The database failed.
    pub async fn record(&self, records: &[Record]) -> Result<()> {
        self.engine.record(records).await
    }

    /// The records of a kind, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        self.engine.records(kind, page).await
    }

    /// The records of a kind that were written after the one of this number, oldest first:
    /// whoever goes on from the last of them misses none.
    ///
    /// # Errors
    /// The database failed.
    pub async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        self.engine.records_after(kind, number, limit).await
    }

    /// Writes down how the breakers of an instance stand.
    ///
    /// # Errors
    /// A name is none, or the database failed.
    pub async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        for report in reports {
            name("policy", &report.policy)?;
            name("instance", &report.instance)?;
        }
        self.engine.report_breakers(reports).await
    }

    /// How the breakers of all instances stand that were heard of in the last minute and a half,
    /// by policy and instance.
    ///
    /// # Errors
    /// The database failed.
    pub async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        self.engine.breakers().await
    }

    /// Wants something of a policy's breaker, of every instance that has one. Each obeys within
    /// seconds; to isolate one holds for instances that start later, too.
    ///
    /// # Errors
    /// The policy's name is none, or the database failed.
    pub async fn order_breaker(
        &self,
        policy: &str,
        wish: BreakerCommand,
        by: &Actor,
    ) -> Result<()> {
        name("policy", policy)?;
        self.engine.order_breaker(policy, wish, by).await
    }

    /// What was last wanted of each breaker.
    ///
    /// # Errors
    /// The database failed.
    pub async fn breaker_orders(&self) -> Result<Vec<BreakerOverride>> {
        self.engine.breaker_orders().await
    }

    /// Forgets a bounded piece of what is past its retention.
    ///
    /// # Errors
    /// The database failed.
    pub async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        let pruned = self.engine.prune(retention).await?;
        let executions = self.engine.executions().prune_executions(retention).await?;
        Ok(Pruned { executions, ..pruned })
    }

    /// Packs the histories of some tasks that ended this long ago.
    ///
    /// # Errors
    /// The database failed.
    pub async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        self.engine.compress(older_than, limit).await
    }
}

fn short_answer() -> StoreError {
    StoreError::Database(sqlx::Error::RowNotFound)
}
