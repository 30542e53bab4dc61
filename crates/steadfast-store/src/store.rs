//! The store handle of a program.
//!
//! It validates input, resolves policies, and calls the [engine](crate::engine), so that both
//! engines receive the same checked input.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::Policy;

use crate::audit::{AuditEntry, AuditQuery};
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::{Connection, Engine, Roles, Submitted};
use crate::error::{InputError, Result, StoreError};
use crate::events::completion_feed::{self, CompletionFeed, CompletionSubscribers};
use crate::events::metrics;
use crate::events::notifier::{Listener, Wake};
use crate::events::record::{Record, RecordKind};
use crate::events::task_events::handed_over;
use crate::maintenance::Promoted;
use crate::maintenance::retention::{Pruned, Retention};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat, check_lease};
use crate::queue::settle::{Settled, Settlement};
use crate::queue::stats::{Activity, Counts, DueTimes, QueueInfo, Stats};
use crate::queue::submit::{CheckedTask, FindPolicy, Policies};
use crate::queue::worker_status::WorkerStatus;
use crate::report::{BreakerCommand, BreakerOverride, BreakerReport, BudgetReport, WorkerReport};
use crate::retry::schedule::Preview;
use crate::task::filter::{Documents, Filter};
use crate::task::{StoredTask, Task, TaskId, name, optional_names};

/// Methods of [`Store`] that only pass their arguments to a role of the engine.
macro_rules! forward {
    ($(
        $(#[doc = $doc:literal])+
        $role:ident.$method:ident($($name:ident: $type:ty),*) -> $answer:ty;
    )+) => {
        $(
            $(#[doc = $doc])+
            ///
            /// # Errors
            /// The database failed.
            pub async fn $method(&self, $($name: $type),*) -> Result<$answer> {
                self.roles.$role.$method($($name),*).await
            }
        )+
    };
}
pub(crate) use forward;

/// A task store: in an SQLite file, or in PostgreSQL for many instances (D1). Clones share the same
/// store and are cheap.
#[derive(Clone)]
pub struct Store {
    pub(crate) roles: Arc<Roles>,
    pub(crate) find_policy: Arc<FindPolicy>,
    name: Arc<str>,
    pub(crate) completions: Arc<CompletionSubscribers>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Store {
    /// A store on an open engine.
    #[must_use]
    pub fn with_engine(engine: Arc<dyn Engine>) -> Self {
        Self::with_roles(engine.into())
    }

    /// A store on the roles of an engine, some of which may be replaced.
    #[must_use]
    pub fn with_roles(roles: Roles) -> Self {
        Self {
            roles: Arc::new(roles),
            find_policy: Arc::new(|_| None),
            name: "a store".into(),
            completions: Arc::default(),
        }
    }

    /// The same store under this name.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The URL of the store without its secrets, for logs and messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the lookup of policies by name, which comes before the presets. A task without a
    /// policy uses the one called `default`.
    #[must_use]
    pub fn with_policies(
        mut self,
        find: impl Fn(&str) -> Option<Arc<Policy>> + Send + Sync + 'static,
    ) -> Self {
        self.find_policy = Arc::new(find);
        self
    }

    /// Submits a task. It is durable when this returns.
    ///
    /// # Errors
    /// The task is invalid (and nothing was written), its idempotency key or its id belongs to
    /// another task, or the database failed. After the latter the same task can be submitted
    /// again: it keeps its id, so it stays one task.
    pub async fn submit(&self, task: Task) -> Result<Submitted> {
        let all = self.submit_all(vec![task]).await?;
        all.into_iter().next().ok_or_else(missing_answer)
    }

    /// Submits many tasks, all or none. The answers are in their order.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit).
    pub async fn submit_all(&self, tasks: Vec<Task>) -> Result<Vec<Submitted>> {
        let tasks = self.check(tasks).await?;
        let queues: Vec<_> = tasks.iter().map(|task| task.draft.queue.clone()).collect();
        let handed_over = |(index, task)| Some((index, handed_over(task)?));
        let events: Vec<_> = tasks.iter().enumerate().filter_map(handed_over).collect();
        let submitted = self.roles.submit.submit(tasks).await?;
        let new = queues.iter().zip(&submitted).filter(|(_, submitted)| !submitted.existed);
        metrics::submitted(new.map(|(queue, _)| &**queue));
        let is_new = |index: usize| submitted.get(index).is_some_and(|one| !one.existed);
        let new = events.into_iter().filter(|(index, _)| is_new(*index));
        self.record_events(&new.map(|(_, event)| event).collect::<Vec<_>>()).await;
        Ok(submitted)
    }

    /// Submits tasks within a transaction of the caller: they exist once it commits. Workers find
    /// them by polling, or at once after a [`wake`](Self::wake).
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
    /// As for [`submit`](Self::submit), or the connection is to another kind of database.
    pub async fn submit_within(
        &self,
        connection: impl Into<Connection<'_>>,
        tasks: Vec<Task>,
    ) -> Result<Vec<Submitted>> {
        let connection = connection.into();
        let tasks = self.check(tasks).await?;
        self.roles.submit.submit_within(connection, tasks).await
    }

    /// The schedule of a task, without submitting it (D18).
    ///
    /// # Errors
    /// The task is invalid, or the database failed.
    pub async fn preview(&self, task: Task) -> Result<Preview> {
        let now = self.now().await?;
        let mut policies = Policies::new(&*self.find_policy);
        Ok(Preview::of(&CheckedTask::new(task, &mut policies, now)?, now))
    }

    async fn check(&self, tasks: Vec<Task>) -> Result<Vec<CheckedTask>> {
        let now = match tasks.iter().any(Task::has_prior_attempts) {
            true => self.now().await?,
            false => Timestamp::UNIX_EPOCH,
        };
        let mut policies = Policies::new(&*self.find_policy);
        let check = |(index, task)| {
            Ok(CheckedTask::new(task, &mut policies, now).map_err(|error| error.at(index))?)
        };
        (0..).zip(tasks).map(check).collect()
    }

    /// Wakes the workers of this process, because tasks may be pending.
    pub fn wake(&self) {
        self.roles.notifier.notify(Wake::Ready);
    }

    /// Receives wake-ups.
    #[must_use]
    pub fn listen(&self) -> Listener {
        self.roles.notifier.listen()
    }

    /// Subscribes to the tasks that end through this store and its clones.
    #[must_use]
    pub fn subscribe_completions(&self) -> CompletionFeed {
        self.completions.subscribe()
    }

    /// Claims due tasks under one new lease.
    ///
    /// # Errors
    /// The request is invalid, or the database failed.
    pub async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        request.check()?;
        let claims = self.roles.claim.claim(request).await?;
        metrics::claimed(&claims);
        Ok(claims)
    }

    /// Extends leases.
    ///
    /// # Errors
    /// The lease is too short or too long, or the database failed. The leases are unchanged then.
    pub async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        check_lease(lease)?;
        self.roles.claim.heartbeat(leases, running, lease).await
    }

    /// Settles claimed tasks. A settlement under a stale lease is rejected.
    ///
    /// # Errors
    /// A result is too long, or the database failed; then nothing was written.
    pub async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        for settlement in &settlements {
            settlement.verdict.check()?;
        }
        let ending = completion_feed::ending(&settlements);
        let answers = self.roles.settle.settle(settlements).await?;
        self.completions.publish(&completion_feed::accepted(ending, &answers));
        Ok(answers)
    }

    /// Reclaims tasks with expired leases, to be settled as lost.
    ///
    /// # Errors
    /// The name of the worker is invalid, or the database failed.
    pub async fn reclaim_expired(
        &self,
        worker: &str,
        limit: u32,
    ) -> Result<Vec<(Claimed, String)>> {
        name("worker", worker)?;
        self.roles.maintain.reclaim_expired(worker, limit).await
    }

    /// One task with its history.
    ///
    /// # Errors
    /// The task does not exist, or the database failed.
    pub async fn task(&self, id: TaskId) -> Result<StoredTask> {
        self.roles.read.task(id).await?.ok_or(StoreError::NotFound(id))
    }

    /// The task with this idempotency key.
    ///
    /// # Errors
    /// The key is invalid, or the database failed.
    pub async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        name("idempotency_key", key)?;
        self.roles.read.task_by_key(key).await
    }

    /// A page of tasks without their history.
    ///
    /// # Errors
    /// The filter has an invalid name, the cursor is of another list, or the database failed.
    pub async fn tasks(&self, filter: &Filter, page: &PageRequest) -> Result<Page<StoredTask>> {
        self.tasks_with(filter, page, Documents::default()).await
    }

    /// A page of tasks with these payloads and results.
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
        self.roles.read.tasks(filter, page, documents).await
    }

    /// Finished tasks, all or those of one correlation id, the latest first, without their history,
    /// payloads and results. A requeued task is not listed until it ends again.
    ///
    /// # Errors
    /// The correlation id is invalid, the cursor is of another list, or the database failed.
    pub async fn latest_ended(
        &self,
        correlation_id: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        correlation_id.map_or(Ok(()), |id| name("correlation_id", id))?;
        self.roles.read.latest_ended(correlation_id, page).await
    }

    /// The number of tasks in each state.
    ///
    /// # Errors
    /// The database failed.
    pub async fn stats(&self) -> Result<Stats> {
        Ok(self.counts().await?.stats)
    }

    /// Cancels a task. Its worker is notified, and its settlement rejected.
    ///
    /// # Errors
    /// The task does not exist or has ended, or the database failed.
    pub async fn cancel(&self, id: TaskId, actor: &Actor) -> Result<()> {
        self.roles.control.cancel(id, actor).await?;
        self.completions.publish(&[id]);
        Ok(())
    }

    /// Makes a scheduled task due now.
    ///
    /// # Errors
    /// The task does not exist, is running or has ended, or the database failed.
    pub async fn run_now(&self, id: TaskId, actor: &Actor) -> Result<()> {
        self.roles.control.run_now(id, actor).await
    }

    /// Sets or clears the expiry of a task.
    ///
    /// # Errors
    /// The task does not exist or has ended, or the database failed.
    pub async fn set_expiry(&self, id: TaskId, at: Option<Timestamp>, actor: &Actor) -> Result<()> {
        self.roles.control.set_expiry(id, at, actor).await
    }

    /// Requeues one finished task.
    ///
    /// # Errors
    /// The task does not exist or has not ended, or the database failed.
    pub async fn requeue(&self, id: TaskId, fresh: bool, actor: &Actor) -> Result<()> {
        self.requeue_with(id, &Requeue { fresh, ..Requeue::fresh() }, actor).await
    }

    /// Requeues one finished task with these options.
    ///
    /// # Errors
    /// As for [`requeue`](Self::requeue).
    pub async fn requeue_with(&self, id: TaskId, requeue: &Requeue, actor: &Actor) -> Result<()> {
        let requeued = self.roles.control.requeue(&Filter::id(id), requeue, actor).await?;
        if requeued.count == 1 {
            return Ok(());
        }
        let status = self.task(id).await?.status;
        Err(StoreError::WrongStatus { id, status, action: "requeue" })
    }

    /// Requeues finished tasks, at a rate if one is set (D16).
    ///
    /// # Errors
    /// The filter or the rate is invalid, or the database failed.
    pub async fn requeue_all(
        &self,
        filter: &Filter,
        requeue: &Requeue,
        actor: &Actor,
    ) -> Result<Requeued> {
        if requeue.per_second.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            return Err(InputError::new("rate", "must be greater than 0").into());
        }
        filter.check()?;
        self.roles.control.requeue(filter, requeue, actor).await
    }

    /// Pauses a queue.
    ///
    /// # Errors
    /// The name of the queue is invalid, or the database failed.
    pub async fn pause(&self, queue: &str, actor: &Actor) -> Result<()> {
        name("queue", queue)?;
        self.roles.control.set_paused(queue, true, actor).await
    }

    /// Resumes a queue.
    ///
    /// # Errors
    /// The name of the queue is invalid, or the database failed.
    pub async fn resume(&self, queue: &str, actor: &Actor) -> Result<()> {
        name("queue", queue)?;
        self.roles.control.set_paused(queue, false, actor).await
    }

    /// Writes an audit entry.
    ///
    /// # Errors
    /// The database failed.
    pub async fn audit(&self, entry: &AuditEntry) -> Result<()> {
        self.roles.audit.audit(std::slice::from_ref(entry)).await
    }

    /// Writes audit entries, all or none.
    ///
    /// # Errors
    /// The database failed.
    pub async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()> {
        match entries {
            [] => Ok(()),
            entries => self.roles.audit.audit(entries).await,
        }
    }

    /// Audit entries, newest first. A page scans a bounded number of entries, so it may be short,
    /// even empty, and still have a cursor.
    ///
    /// # Errors
    /// The query has an invalid name, or the database failed.
    pub async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let AuditQuery { target, actor, action, .. } = query;
        optional_names([("target", target), ("actor", actor), ("action", action)])?;
        self.roles.audit.audit_entries(query).await
    }

    /// Stores a worker's registration.
    ///
    /// # Errors
    /// A name is invalid, or the database failed.
    pub async fn report_worker(&self, report: &WorkerReport) -> Result<()> {
        name("name", &report.name)?;
        optional_names([("instance", &report.instance)])?;
        for queue in report.queues.iter().flatten() {
            name("queues", queue)?;
        }
        self.roles.report.report_worker(report).await
    }

    /// Stores the budgets of an instance.
    ///
    /// # Errors
    /// A name is invalid, or the database failed.
    pub async fn report_budgets(&self, reports: &[BudgetReport]) -> Result<()> {
        for report in reports {
            name("policy", &report.policy)?;
            name("instance", &report.instance)?;
        }
        self.roles.report.report_budgets(reports).await
    }

    /// Stores the breaker states of an instance.
    ///
    /// # Errors
    /// A name is invalid, or the database failed.
    pub async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        for report in reports {
            name("policy", &report.policy)?;
            name("instance", &report.instance)?;
        }
        self.roles.report.report_breakers(reports).await
    }

    /// Overrides a policy's breakers in all instances. Each applies the command within seconds; an
    /// isolation also applies to instances that start later.
    ///
    /// # Errors
    /// The name of the policy is invalid, or the database failed.
    pub async fn override_breaker(
        &self,
        policy: &str,
        command: BreakerCommand,
        actor: &Actor,
    ) -> Result<()> {
        name("policy", policy)?;
        self.roles.control.override_breaker(policy, command, actor).await
    }

    /// Deletes one batch of data past its retention.
    ///
    /// # Errors
    /// The database failed.
    pub async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        let pruned = self.roles.maintain.prune(retention).await?;
        let executions = self.roles.maintain.prune_executions(retention).await?;
        Ok(Pruned { executions, ..pruned })
    }

    forward! {
        /// The store's time.
        read.now() -> Timestamp;
        /// A task that is still held under this lease, as the claim returned it: for a worker over
        /// HTTP that only has the two ids.
        claim.held(id: TaskId, fencing_token: FencingToken) -> Option<Claimed>;
        /// Makes scheduled tasks that are due pending.
        maintain.promote(limit: u32) -> Promoted;
        /// Tasks with their history and without payloads and results, in this order. Missing tasks
        /// are left out.
        read.histories(ids: &[TaskId]) -> Vec<StoredTask>;
        /// The number of tasks in each state, in total and by queue, in one snapshot.
        read.counts() -> Counts;
        /// The first due times, which are known without counting.
        read.due_times() -> DueTimes;
        /// Finished tasks of the last hour by the minute, and scheduled tasks of the next day by the
        /// hour.
        read.activity() -> Activity;
        /// Every queue.
        read.queues() -> Vec<QueueInfo>;
        /// Finished tasks and recorded sessions of a time window, both ends included, aggregated by
        /// policy and subsystem (O1). The same policy and subsystem may have several rows.
        read.rollups(from: Timestamp, to: Timestamp) -> Vec<Rollup>;
        /// Aggregates the next completed minute for [`rollups`](Self::rollups), and returns whether
        /// there was one. Workers do so; one of them is enough.
        maintain.rollup() -> bool;
        /// The workers that hold tasks, and the backlog of each queue.
        read.worker_status() -> WorkerStatus;
        /// Stores records of sessions and events.
        records.record(records: &[Record]) -> ();
        /// The records of a kind, newest first.
        records.records(kind: RecordKind, page: &PageRequest) -> Page<Record>;
        /// The records of a kind with a greater number than this one, oldest first. A reader that
        /// continues from the last one misses none.
        records.records_after(kind: RecordKind, number: i64, limit: u32) -> Vec<Record>;
        /// The breaker states that were reported in the last 90 seconds, by policy and instance.
        report.breakers() -> Vec<BreakerReport>;
        /// The last override of each policy's breakers.
        report.breaker_overrides() -> Vec<BreakerOverride>;
        /// Compresses the histories of up to `limit` tasks that ended this long ago.
        maintain.compress(older_than: Duration, limit: u32) -> u64;
        /// Deletes the registration of a worker that has shut down.
        report.deregister_worker(name: &str, instance: Option<&str>) -> ();
        /// The workers that were reported in the last ten minutes, by name and instance, at most a
        /// thousand.
        report.workers() -> Vec<WorkerReport>;
        /// The budgets that were reported in the last 90 seconds, by policy and instance.
        report.budgets() -> Vec<BudgetReport>;
    }
}

fn missing_answer() -> StoreError {
    sqlx::Error::RowNotFound.into()
}
