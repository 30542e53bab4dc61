//! The answers of a store in this process.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use steadfast::Policy;
use steadfast::drive::FailedAttempt;
use steadfast::file::{Policies, Problems, Route};
use steadfast::observe::{Figures, Redactor, Session};
use steadfast::registry::Registry;
use steadfast_flow::{Flow, Start, Workflow};
use steadfast_store::{
    Activity, AuditEntry, AuditQuery, BreakerWish, BudgetReport, By, Counts, Documents,
    ExecutionError, ExecutionId, Store, StoreError, Task, TaskId, When,
};

use crate::api::Api;
use crate::breakers::{self, BreakerView};
use crate::claims::{AttemptFailure, Claims, Completion, Desk, NewClaim, SignOfLife, WhatFollows};
use crate::classify::{self, Judged, ToJudge};
use crate::error::{ApiError, ErrorKind};
use crate::events::{self, EventFilter, Events, EventsFrom};
use crate::figures::{self, Window};
use crate::new_task::NewTask;
use crate::page::{Page, PageQuery};
use crate::plan::{PlanQuery, PlanView};
use crate::policies::{KnownPolicy, PoliciesView};
use crate::policy_choice::PolicyChoice;
use crate::preview::Preview;
use crate::query::{AuditFilter, TaskFilter};
use crate::sessions::{self, SessionFilter};
use crate::stats::{QueueView, StatsView};
use crate::steer::{RequeueMany, RequeueOne, Requeued};
use crate::submitted::{Submission, Submitted};
use crate::task_view::TaskView;
use crate::under_way::UnderWay;
use crate::witness::{Deed, Seen, Witness};
use crate::workers::{self, AtWork, Callers, WorkerView};
use crate::workflows::{
    CheckedWorkflow, ExecutionFilter, ExecutionView, NewExecution, StartedExecution, WorkflowView,
    senseless,
};

/// The policies that hold now. Those of a registry change, those of a file that was read once
/// do not.
pub trait InForce: Send + Sync + 'static {
    /// All of them, in one version.
    fn policies(&self) -> Arc<Policies>;

    /// What is wrong with the file as it is now, if that is why they are not those of the file.
    fn problems(&self) -> Option<Problems> {
        None
    }
}

impl InForce for Arc<Policies> {
    fn policies(&self) -> Arc<Policies> {
        self.clone()
    }
}

impl InForce for Registry {
    fn policies(&self) -> Arc<Policies> {
        Self::policies(self)
    }

    fn problems(&self) -> Option<Problems> {
        self.health().problems
    }
}

/// A store in this process, asked by somebody.
pub struct Local {
    store: Store,
    flow: Flow,
    policies: Option<Arc<dyn InForce>>,
    by: By,
    witness: Option<Arc<dyn Witness>>,
    under_way: Arc<UnderWay>,
    callers: Arc<Callers>,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("by", &self.by).finish_non_exhaustive()
    }
}

impl Local {
    /// Answers out of a store. `by` is who asks, for the audit log (K3). Tasks can have the
    /// ready-made policies.
    #[must_use]
    pub fn new(store: Store, by: By) -> Self {
        let flow = Flow::new(store.clone());
        let (under_way, callers) = (Arc::default(), Arc::default());
        Self { store, flow, policies: None, by, witness: None, under_way, callers }
    }

    /// The same, and tasks can have these policies.
    #[must_use]
    pub fn with_policies(mut self, policies: impl InForce) -> Self {
        self.policies = Some(Arc::new(policies));
        self
    }

    /// The same, and this one is told what leaves no trace of who did it.
    #[must_use]
    pub fn with_witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// The same, and nobody is told.
    #[must_use]
    pub fn without_witness(mut self) -> Self {
        self.witness = None;
        self
    }

    /// The same store and policies, asked by somebody else.
    #[must_use]
    pub fn asked_by(&self, by: By) -> Self {
        Self {
            store: self.store.clone(),
            flow: self.flow.clone(),
            policies: self.policies.clone(),
            by,
            witness: self.witness.clone(),
            under_way: self.under_way.clone(),
            callers: self.callers.clone(),
        }
    }

    /// Its workflows, for whoever serves them: what was read of them once is known to both.
    #[must_use]
    pub const fn flow(&self) -> &Flow {
        &self.flow
    }

    /// What ended in each minute of the last hour, and what is due in each hour of the next day.
    ///
    /// # Errors
    /// The store failed.
    pub async fn activity(&self) -> Result<Activity, ApiError> {
        Ok(self.store.activity().await?)
    }

    /// Some tasks, without their history, payloads and results: what a table shows of them.
    ///
    /// # Errors
    /// As for [`tasks`](Api::tasks).
    pub async fn rows(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError> {
        self.listed(filter, page, Documents::Without).await
    }

    async fn listed(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
        documents: Documents,
    ) -> Result<Page<TaskView>, ApiError> {
        let wanted = self.filter(filter).await?;
        let tasks = self.store.tasks_with(&wanted, &page.request()?, documents).await?;
        self.has_read(Seen::Tasks(filter));
        Ok(Page::of(tasks, TaskView::listed))
    }

    /// The policy that a name leads to, with where each of its values came from (F3).
    ///
    /// # Errors
    /// There is none of this name.
    pub fn policy(&self, name: &str) -> Result<KnownPolicy, ApiError> {
        let known = self.known()?;
        // It is not a part of what was sent, but what was asked for.
        found(&known, name).map_err(|error| error.of_kind(ErrorKind::NotFound))?;
        Ok(KnownPolicy::of(&known, name))
    }

    /// Who holds tasks, and how each queue's line stands (H2).
    ///
    /// # Errors
    /// The store cannot be asked.
    pub async fn at_work(&self) -> Result<AtWork, ApiError> {
        Ok(workers::look(&self.store).await?)
    }

    /// What is wrong with the policy file as it is now, while older policies hold (F4).
    #[must_use]
    pub fn policy_problems(&self) -> Option<Problems> {
        self.policies.as_ref().and_then(|policies| policies.problems())
    }

    fn desk(&self) -> Desk<'_> {
        Desk { store: &self.store, under_way: &self.under_way, callers: &self.callers }
    }

    fn in_force(&self) -> Option<Arc<Policies>> {
        self.policies.as_ref().map(|policies| policies.policies())
    }

    /// Whether there can be such a breaker: one that an instance tells of, or of a policy that is
    /// known here. Whoever knows no policies can tell of none that it is wrong.
    async fn find_breaker(&self, policy: &str) -> Result<(), ApiError> {
        steadfast_store::name("policy", policy)?;
        let Some(policies) = self.in_force() else { return Ok(()) };
        if policies.by_id(policy).is_some() {
            return Ok(());
        }
        let reports = self.store.breakers().await?;
        let orders = self.store.breaker_orders().await?;
        let is_known = reports.iter().any(|report| report.policy == policy)
            || orders.iter().any(|order| order.policy == policy);
        match is_known {
            true => Ok(()),
            false => Err(unknown_policy(&policies, policy).of_kind(ErrorKind::NotFound)),
        }
    }

    /// The policies that tasks can have by name.
    fn known(&self) -> Result<Arc<Policies>, ApiError> {
        match self.in_force() {
            Some(policies) => Ok(policies),
            None => Policies::ready_made().map(Arc::new).map_err(|problems| {
                ApiError::new(ErrorKind::Failed, problems.to_string())
                    .next("see the variables of the environment that change policies")
            }),
        }
    }

    /// Tells the witness, if there is one, what was read. Whoever answers out of what was read for
    /// all, and not out of this, tells it as well.
    pub fn has_read(&self, what: Seen<'_>) {
        if let Some(witness) = &self.witness {
            witness.read(&self.by, what);
        }
    }

    /// Tells the witness, if there is one, what was done.
    fn has_done(&self, deed: Deed, tasks: impl IntoIterator<Item = TaskId>) {
        if let Some(witness) = &self.witness {
            witness.did(&self.by, deed, &tasks.into_iter().collect::<Vec<_>>());
        }
    }

    async fn read(&self, id: TaskId) -> Result<TaskView, ApiError> {
        let task = self.whole(id).await?;
        self.has_read(Seen::Task(id));
        Ok(task)
    }

    async fn whole_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        Ok(ExecutionView::whole(self.flow.execution(id).await?))
    }

    async fn whole(&self, id: TaskId) -> Result<TaskView, ApiError> {
        Ok(TaskView::whole(self.store.task(id).await?))
    }

    async fn filter(&self, filter: &TaskFilter) -> Result<steadfast_store::Filter, ApiError> {
        let now = match filter.due_within {
            Some(_) => self.store.now().await?,
            None => Timestamp::UNIX_EPOCH,
        };
        Ok(filter.at(now))
    }
}

/// A task under the policy that it is to have. A program that asks a registry for a name that
/// nobody knows gets `default`; who writes one into a task made a slip, and is told.
fn under(
    task: Task,
    choice: Option<PolicyChoice>,
    policies: Option<&Policies>,
) -> Result<Task, ApiError> {
    Ok(match (choice, policies) {
        (Some(PolicyChoice::Given(policy)), _) => task.under(policy),
        (Some(PolicyChoice::Named(name)), Some(known)) => task.under(found(known, &name)?),
        (None, Some(known)) => task.under(known.find("default").clone()),
        // The store knows those that are ready made.
        (Some(PolicyChoice::Named(name)), None) => task.policy(name),
        (None, None) => task,
    })
}

pub(crate) fn found(policies: &Policies, name: &str) -> Result<Arc<Policy>, ApiError> {
    match policies.route(name) {
        (_, Route::Default) if name != "default" => Err(unknown_policy(policies, name)),
        (policy, _) => Ok(policy.clone()),
    }
}

fn unknown_policy(policies: &Policies, name: &str) -> ApiError {
    let next = match policies.nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name one of the policy file or a ready-made one, or send its fields".to_owned(),
    };
    ApiError::new(ErrorKind::Invalid, format!("there is no policy `{name}`"))
        .field("policy")
        .next(next)
}

/// A new task as a store takes it.
pub(crate) fn task(new: NewTask, policies: Option<&Policies>) -> Result<Task, ApiError> {
    let task = Task::new(new.kind, &new.payload);
    let mut task = under(task, new.policy, policies)?;
    if let Some(id) = new.id {
        task = task.with_id(version_7(id)?);
    }
    if let Some(priority) = new.priority {
        task = task.priority(priority);
    }
    if let Some(queue) = new.queue {
        task = task.queue(queue);
    }
    if let Some(category) = new.category {
        task = task.category(category);
    }
    task = match new.run_at {
        None | Some(When::Now) => task,
        Some(When::After(delay)) => task.after(delay),
        Some(When::At(time)) => task.at(time),
    };
    if let Some(expires) = new.expires_at {
        task = task.expires(expires);
    }
    if let Some(key) = new.idempotency_key {
        task = task.key(key);
    }
    if let Some(id) = new.correlation_id {
        task = task.correlation_id(id);
    }
    task = match (new.first_fault, new.history) {
        (Some(_), history) if !history.is_empty() => return Err(two_pasts()),
        (Some(fault), _) => task.failed_once(fault),
        (None, history) if history.is_empty() => task,
        (None, history) => task.history(history.into_iter().map(FailedAttempt::from).collect()),
    };
    Ok(if new.hold_category { task.hold_category() } else { task })
}

fn two_pasts() -> ApiError {
    ApiError::new(ErrorKind::Invalid, "it has a first fault and a history")
        .field("history")
        .next("say one of them: the history has the first fault in it")
}

/// Ids sort by the time they were made (D2), so they have to be made so.
fn version_7(id: TaskId) -> Result<TaskId, ApiError> {
    match id.is_version_7() {
        true => Ok(id),
        false => Err(ApiError::new(ErrorKind::Invalid, format!("{id} is no UUID of version 7"))
            .field("id")
            .next("make one of version 7, or leave it out and get one")),
    }
}

#[async_trait]
impl Api for Local {
    async fn now(&self) -> Result<Timestamp, ApiError> {
        Ok(self.store.now().await?)
    }

    async fn preview(&self, new: NewTask) -> Result<Preview, ApiError> {
        let task = task(new, self.in_force().as_deref())?;
        Ok(Preview::from(self.store.preview(task).await?))
    }

    async fn submit(&self, new: NewTask) -> Result<Submission, ApiError> {
        let submitted = self.store.submit(task(new, self.in_force().as_deref())?).await?;
        self.has_done(Deed::Submit, [submitted.id]);
        Ok(Submission::new(submitted.existed, self.whole(submitted.id).await?))
    }

    async fn submit_all(&self, new: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError> {
        let policies = self.in_force();
        let each = (0..).zip(new).map(|(place, new)| {
            task(new, policies.as_deref()).map_err(|error| at_place(place, error))
        });
        let tasks = each.collect::<Result<Vec<_>, _>>()?;
        let submitted = self.store.submit_all(tasks).await?;
        self.has_done(Deed::Submit, submitted.iter().map(|it| it.id));
        Ok(submitted.into_iter().map(Submitted::from).collect())
    }

    async fn task(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.read(id).await
    }

    async fn task_by_key(&self, key: &str) -> Result<TaskView, ApiError> {
        match self.store.task_by_key(key).await? {
            Some(id) => self.read(id).await,
            None => Err(no_such_key(key)),
        }
    }

    async fn tasks(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError> {
        self.listed(filter, page, Documents::default()).await
    }

    async fn cancel(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.store.cancel(id, &self.by).await?;
        self.whole(id).await
    }

    async fn run_now(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.store.run_now(id, &self.by).await?;
        self.whole(id).await
    }

    async fn set_expiry(&self, id: TaskId, when: Option<When>) -> Result<TaskView, ApiError> {
        let at = match when {
            None => None,
            Some(When::At(time)) => Some(time),
            Some(When::Now) => Some(self.store.now().await?),
            Some(When::After(delay)) => {
                let now = self.store.now().await?;
                Some(now.checked_add(delay).unwrap_or(Timestamp::MAX))
            }
        };
        self.store.set_expiry(id, at, &self.by).await?;
        self.whole(id).await
    }

    async fn requeue(&self, id: TaskId, how: RequeueOne) -> Result<TaskView, ApiError> {
        self.store.requeue(id, how.fresh, &self.by).await?;
        self.whole(id).await
    }

    async fn requeue_all(&self, which: &RequeueMany) -> Result<Requeued, ApiError> {
        which.check()?;
        let filter = self.filter(&which.filter).await?;
        let requeued = self.store.requeue_all(&filter, &which.how(), &self.by).await?;
        Ok(Requeued::new(requeued, which.dry_run))
    }

    async fn stats(&self) -> Result<StatsView, ApiError> {
        let Counts { stats, queues, .. } = self.store.counts().await?;
        self.has_read(Seen::Stats);
        Ok(StatsView::new(&stats, queues))
    }

    async fn queues(&self) -> Result<Vec<QueueView>, ApiError> {
        let queues = self.store.queues().await?;
        self.has_read(Seen::Stats);
        Ok(queues.into_iter().map(QueueView::from).collect())
    }

    async fn pause(&self, queue: &str) -> Result<(), ApiError> {
        Ok(self.store.pause(queue, &self.by).await?)
    }

    async fn resume(&self, queue: &str) -> Result<(), ApiError> {
        Ok(self.store.resume(queue, &self.by).await?)
    }

    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageQuery,
    ) -> Result<Page<AuditEntry>, ApiError> {
        let mut query = AuditQuery::default();
        query.actor.clone_from(&filter.actor);
        query.target.clone_from(&filter.target);
        query.page = page.request()?;
        let entries = self.store.audited(&query).await?;
        self.has_read(Seen::Audit(filter));
        Ok(Page::of(entries, without_secrets))
    }

    async fn policies(&self) -> Result<PoliciesView, ApiError> {
        Ok(PoliciesView::of(&*self.known()?))
    }

    async fn plan(&self, policy: &str, query: &PlanQuery) -> Result<PlanView, ApiError> {
        let found = found(&*self.known()?, policy);
        // It is not a part of what was sent, but what was asked for.
        let policy = found.map_err(|error| error.of_kind(ErrorKind::NotFound))?;
        PlanView::of(&policy, query)
    }

    async fn classify(&self, failure: ToJudge) -> Result<Judged, ApiError> {
        classify::judge(failure, &*self.known()?)
    }

    async fn claim(&self, wanted: &NewClaim) -> Result<Claims, ApiError> {
        let claims = self.desk().claim(wanted).await?;
        self.has_done(Deed::Claim, claims.claims.iter().map(|claim| claim.id));
        Ok(claims)
    }

    async fn heartbeat(&self, id: TaskId, sign: SignOfLife) -> Result<(), ApiError> {
        self.desk().heartbeat(id, sign).await
    }

    async fn complete(&self, id: TaskId, done: Completion) -> Result<(), ApiError> {
        self.desk().complete(id, done).await?;
        self.has_done(Deed::Complete, [id]);
        Ok(())
    }

    async fn fail(&self, id: TaskId, failure: AttemptFailure) -> Result<WhatFollows, ApiError> {
        let follows = self.desk().fail(id, failure).await?;
        self.has_done(Deed::Fail, [id]);
        Ok(follows)
    }

    async fn events(
        &self,
        filter: &EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<Events, ApiError> {
        let events = events::read(&self.store, filter, from, limit).await?;
        self.has_read(Seen::Events(filter));
        Ok(events)
    }

    async fn figures(&self, window: Window) -> Result<Figures, ApiError> {
        let figures = figures::read(&self.store, window).await?;
        self.has_read(Seen::Figures);
        Ok(figures)
    }

    async fn task_session(&self, id: TaskId) -> Result<Session, ApiError> {
        let session = sessions::of_task(&self.store, id).await?;
        self.has_read(Seen::Task(id));
        session.ok_or_else(|| never_tried(id))
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageQuery,
    ) -> Result<Page<Session>, ApiError> {
        let sessions = sessions::read(&self.store, filter, page).await?;
        self.has_read(Seen::Sessions(filter));
        Ok(sessions)
    }

    async fn breakers(&self) -> Result<Vec<BreakerView>, ApiError> {
        Ok(breakers::read(&self.store).await?)
    }

    async fn order_breaker(&self, policy: &str, wish: BreakerWish) -> Result<(), ApiError> {
        self.find_breaker(policy).await?;
        Ok(self.store.order_breaker(policy, wish, &self.by).await?)
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>, ApiError> {
        Ok(self.store.budgets().await?)
    }

    async fn workers(&self) -> Result<Vec<WorkerView>, ApiError> {
        Ok(self.at_work().await?.workers)
    }

    async fn check_workflow(&self, text: &str) -> Result<CheckedWorkflow, ApiError> {
        Ok(CheckedWorkflow::of(&Workflow::parse(text)))
    }

    async fn keep_workflow(&self, text: &str) -> Result<WorkflowView, ApiError> {
        let workflow = Workflow::parse(text).map_err(|error| senseless(&error))?;
        let number = self.flow.keep(&workflow).await?;
        let entry = AuditEntry::new(self.by.clone(), "workflow.keep").target(number);
        self.store.audit(&entry).await?;
        self.workflow(number).await
    }

    async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowView>, ApiError> {
        let kept = self.store.workflows(&page.request()?).await?;
        self.has_read(Seen::Workflows);
        Ok(Page::of(kept, WorkflowView::of))
    }

    async fn workflow(&self, id: i64) -> Result<WorkflowView, ApiError> {
        match self.store.workflow(id).await? {
            Some(kept) => {
                self.has_read(Seen::Workflow(id));
                Ok(WorkflowView::of(kept))
            }
            None => Err(StoreError::from(ExecutionError::NoWorkflow(id)).into()),
        }
    }

    async fn start_execution(
        &self,
        workflow: i64,
        new: NewExecution,
    ) -> Result<StartedExecution, ApiError> {
        let workflow = self.flow.workflow(workflow).await?;
        let start = Start::of(&workflow, &new.trigger).by(self.by.clone());
        let start = match new.key {
            Some(key) => start.key(key),
            None => start,
        };
        let started = self.flow.start(start).await?;
        let execution = self.whole_execution(started.id).await?;
        Ok(StartedExecution::new(started.existed, execution))
    }

    async fn execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        let execution = self.whole_execution(id).await?;
        self.has_read(Seen::Execution(id));
        Ok(execution)
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageQuery,
    ) -> Result<Page<ExecutionView>, ApiError> {
        let listed = self.flow.executions(&filter.for_store(), &page.request()?).await?;
        self.has_read(Seen::Executions(filter));
        Ok(Page::of(listed, ExecutionView::listed))
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<ExecutionView>, ApiError> {
        let chain = self.flow.chain(id).await?;
        self.has_read(Seen::Execution(id));
        Ok(chain.into_iter().map(ExecutionView::listed).collect())
    }

    async fn cancel_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        self.flow.cancel(id, &self.by).await?;
        self.whole_execution(id).await
    }

    async fn resume_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        self.flow.resume(id, &self.by).await?;
        self.whole_execution(id).await
    }

    async fn retry_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        let next = self.flow.retry(id, &self.by).await?;
        self.whole_execution(next).await
    }
}

/// Whoever wrote an entry may have put anything beside it.
fn without_secrets(mut entry: AuditEntry) -> AuditEntry {
    Redactor::installed().value(&mut entry.detail);
    entry
}

/// In a batch it has to be said which of them.
fn at_place(place: usize, error: ApiError) -> ApiError {
    let field = error.field.as_deref().unwrap_or("task");
    let field = format!("[{place}].{field}");
    error.field(field)
}

fn never_tried(id: TaskId) -> ApiError {
    ApiError::new(
        ErrorKind::NotFound,
        format!("no attempt at task {id} was made: it has no session"),
    )
    .next("look at the task itself")
}

fn no_such_key(key: &str) -> ApiError {
    ApiError::new(ErrorKind::NotFound, format!("no task has `{key}`"))
        .field("idempotency_key")
        .next("see that it is spelled as it was submitted; ended tasks are forgotten in time")
}
