//! The API requests, answered by the store.

use async_trait::async_trait;
use jiff::Timestamp;
use steadfast::observe::{MetricsSummary, Session};
use steadfast_flow::{Execution, Start, Workflow};
use steadfast_store::{
    AuditEntry, AuditQuery, BreakerCommand, BudgetReport, Counts, Documents, ExecutionError,
    ExecutionFilter, ExecutionId, Page, QueueInfo, StoreError, Submitted, TaskId, When,
};

use super::Local;
use crate::api::Api;
use crate::audit::{AuditFilter, ReadAction, TaskAction, without_secrets};
use crate::breakers::{self, BreakerView};
use crate::claims::{AttemptFailure, Claims, Completion, FailResponse, HeartbeatRequest, NewClaim};
use crate::error::ApiError;
use crate::events::{self, EventFilter, Events, EventsFrom};
use crate::metrics_summary::{self, Window};
use crate::page::PageQuery;
use crate::policies::{
    Classification, ClassifyRequest, PlanQuery, PlanView, PoliciesView, classify,
};
use crate::sessions::{self, SessionFilter, no_attempts};
use crate::tasks::{
    NewTask, Preview, RequeueMany, RequeueOne, Requeued, StatsView, Submission, TaskFilter,
    TaskView, batch_error, no_task_with_key, with_index,
};
use crate::workers::WorkerView;
use crate::workflows::{
    CheckedWorkflow, NewExecution, StartedExecution, WorkflowView, invalid_workflow,
};

#[async_trait]
impl Api for Local {
    async fn now(&self) -> Result<Timestamp, ApiError> {
        Ok(self.store.now().await?)
    }

    async fn preview(&self, new: NewTask) -> Result<Preview, ApiError> {
        let task = new.into_store_task(self.configured_policies().as_deref())?;
        Ok(Preview::from(self.store.preview(task).await?))
    }

    async fn submit(&self, new: NewTask) -> Result<Submission, ApiError> {
        let submitted =
            self.store.submit(new.into_store_task(self.configured_policies().as_deref())?).await?;
        self.record_action(TaskAction::Submit, [submitted.id]);
        Ok(Submission::new(submitted.existed, self.changed_task(submitted.id).await?))
    }

    async fn submit_all(&self, new: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError> {
        let policies = self.configured_policies();
        let each = (0..).zip(new).map(|(index, new)| {
            new.into_store_task(policies.as_deref()).map_err(|error| with_index(index, error))
        });
        let tasks = each.collect::<Result<Vec<_>, _>>()?;
        let submitted = self.store.submit_all(tasks).await.map_err(batch_error)?;
        self.record_action(TaskAction::Submit, submitted.iter().map(|it| it.id));
        Ok(submitted)
    }

    async fn task(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.read_task(id).await
    }

    async fn task_by_key(&self, key: &str) -> Result<TaskView, ApiError> {
        match self.store.task_by_key(key).await? {
            Some(id) => self.read_task(id).await,
            None => Err(no_task_with_key(key)),
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
        self.store.cancel(id, &self.actor).await?;
        self.changed_task(id).await
    }

    async fn run_now(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.store.run_now(id, &self.actor).await?;
        self.changed_task(id).await
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
        self.store.set_expiry(id, at, &self.actor).await?;
        self.changed_task(id).await
    }

    async fn requeue(&self, id: TaskId, options: RequeueOne) -> Result<TaskView, ApiError> {
        self.store.requeue_with(id, &options.options(), &self.actor).await?;
        self.changed_task(id).await
    }

    async fn requeue_all(&self, request: &RequeueMany) -> Result<Requeued, ApiError> {
        request.check()?;
        let filter = self.store_filter(&request.filter).await?;
        let requeued = self.store.requeue_all(&filter, &request.options(), &self.actor).await?;
        Ok(Requeued::new(requeued, request.dry_run))
    }

    async fn stats(&self) -> Result<StatsView, ApiError> {
        let Counts { stats, queues, .. } = self.store.counts().await?;
        self.record_read(ReadAction::Stats);
        Ok(StatsView::new(&stats, queues))
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>, ApiError> {
        let queues = self.store.queues().await?;
        self.record_read(ReadAction::Stats);
        Ok(queues)
    }

    async fn pause(&self, queue: &str, new: bool) -> Result<(), ApiError> {
        if !new {
            self.find_queue_to_pause(queue).await?;
        }
        Ok(self.store.pause(queue, &self.actor).await?)
    }

    async fn resume(&self, queue: &str) -> Result<(), ApiError> {
        self.find_queue(queue).await?;
        Ok(self.store.resume(queue, &self.actor).await?)
    }

    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageQuery,
    ) -> Result<Page<AuditEntry>, ApiError> {
        let mut query = AuditQuery::default();
        query.actor.clone_from(&filter.actor);
        query.target.clone_from(&filter.target);
        query.action.clone_from(&filter.action);
        query.since = filter.since;
        query.page = page.request()?;
        let entries = self.store.audit_entries(&query).await?;
        self.record_read(ReadAction::Audit(filter));
        Ok(entries.map(without_secrets))
    }

    async fn policies(&self) -> Result<PoliciesView, ApiError> {
        Ok(PoliciesView::of(&*self.active_policies()?))
    }

    async fn plan(&self, policy: &str, query: &PlanQuery) -> Result<PlanView, ApiError> {
        PlanView::of(&*self.find_policy(policy)?, query)
    }

    async fn classify(&self, request: ClassifyRequest) -> Result<Classification, ApiError> {
        classify::classify(request, &*self.active_policies()?)
    }

    async fn claim(&self, request: &NewClaim) -> Result<Claims, ApiError> {
        let claims = self.claim_service().claim(request).await?;
        self.record_action(TaskAction::Claim, claims.claims.iter().map(|claim| claim.id));
        Ok(claims)
    }

    async fn heartbeat(&self, id: TaskId, request: HeartbeatRequest) -> Result<(), ApiError> {
        self.claim_service().heartbeat(id, request).await
    }

    async fn complete(&self, id: TaskId, completion: Completion) -> Result<(), ApiError> {
        self.claim_service().complete(id, completion).await?;
        self.record_action(TaskAction::Complete, [id]);
        Ok(())
    }

    async fn fail(&self, id: TaskId, failure: AttemptFailure) -> Result<FailResponse, ApiError> {
        let response = self.claim_service().fail(id, failure).await?;
        self.record_action(TaskAction::Fail, [id]);
        Ok(response)
    }

    async fn events(
        &self,
        filter: &EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<Events, ApiError> {
        let events = events::read(&self.store, filter, from, limit).await?;
        self.record_read(ReadAction::Events(filter));
        Ok(events)
    }

    async fn metrics_summary(&self, window: Window) -> Result<MetricsSummary, ApiError> {
        let summary = metrics_summary::read(&self.store, window).await?;
        self.record_read(ReadAction::MetricsSummary);
        Ok(summary)
    }

    async fn task_session(&self, id: TaskId) -> Result<Session, ApiError> {
        let session = sessions::of_task(&self.store, id).await?;
        self.record_read(ReadAction::Task(id));
        session.ok_or_else(|| no_attempts(id))
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageQuery,
    ) -> Result<Page<Session>, ApiError> {
        let sessions = sessions::read(&self.store, filter, page).await?;
        self.record_read(ReadAction::Sessions(filter));
        Ok(sessions)
    }

    async fn breakers(&self) -> Result<Vec<BreakerView>, ApiError> {
        Ok(breakers::read(&self.store).await?)
    }

    async fn override_breaker(
        &self,
        policy: &str,
        command: BreakerCommand,
    ) -> Result<(), ApiError> {
        self.find_breaker(policy).await?;
        Ok(self.store.override_breaker(policy, command, &self.actor).await?)
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>, ApiError> {
        Ok(self.store.budgets().await?)
    }

    async fn workers(&self) -> Result<Vec<WorkerView>, ApiError> {
        Ok(self.worker_status().await?.workers)
    }

    async fn check_workflow(&self, text: &str) -> Result<CheckedWorkflow, ApiError> {
        Ok(CheckedWorkflow::of(&Workflow::parse(text)))
    }

    async fn save_workflow(&self, text: &str) -> Result<WorkflowView, ApiError> {
        let workflow = Workflow::parse(text).map_err(|error| invalid_workflow(&error))?;
        let number = self.flow.save_for(&workflow, &self.actor).await?;
        self.workflow(number).await
    }

    async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowView>, ApiError> {
        let workflows = self.store.workflows(&page.request()?).await?;
        self.record_read(ReadAction::Workflows);
        Ok(workflows.map(WorkflowView::of))
    }

    async fn workflow(&self, id: i64) -> Result<WorkflowView, ApiError> {
        match self.store.workflow(id).await? {
            Some(definition) => {
                self.record_read(ReadAction::Workflow(id));
                Ok(WorkflowView::of(definition))
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
        let start = Start::of(&workflow, &new.trigger).by(self.actor.clone());
        let start = match new.key {
            Some(key) => start.key(key),
            None => start,
        };
        let started = self.flow.start(start).await?;
        let execution = self.changed_execution(started.id).await?;
        Ok(StartedExecution { existed: started.existed, execution })
    }

    async fn execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        let execution = self.flow.execution(id).await?;
        self.record_read(ReadAction::Execution(id));
        Ok(execution)
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageQuery,
    ) -> Result<Page<Execution>, ApiError> {
        let listed = self.flow.executions(filter, &page.request()?).await?;
        self.record_read(ReadAction::Executions(filter));
        Ok(listed)
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<Execution>, ApiError> {
        let chain = self.flow.chain(id).await?;
        self.record_read(ReadAction::Execution(id));
        Ok(chain)
    }

    async fn cancel_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        self.flow.cancel(id, &self.actor).await?;
        self.changed_execution(id).await
    }

    async fn resume_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        self.flow.resume(id, &self.actor).await?;
        self.changed_execution(id).await
    }

    async fn retry_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        let next = self.flow.retry(id, &self.actor).await?;
        self.changed_execution(next).await
    }
}
