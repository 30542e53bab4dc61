//! The API requests and their URLs.

use crate::{
    Api, ApiError, AttemptFailure, AuditFilter, BreakerView, CheckedWorkflow, Claims,
    Classification, ClassifyRequest, Completion, ErrorKind, EventFilter, Events, EventsFrom,
    Execution, ExecutionFilter, FailResponse, HeartbeatRequest, NewClaim, NewExecution, NewExpiry,
    NewTask, Page, PageQuery, PlanQuery, PlanView, PoliciesView, Preview, QueueInfo, RequeueMany,
    RequeueOne, Requeued, SessionFilter, StartedExecution, StatsView, Submission, Submitted,
    TaskFilter, TaskView, Window, WorkerView, WorkflowView,
};
use async_trait::async_trait;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use steadfast::observe::{MetricsSummary, Session};
use steadfast_store::{AuditEntry, BreakerCommand, BudgetReport, ExecutionId, TaskId, When};

use super::client::Remote;
use super::request::Request;
use super::response::StoreTime;

/// The most events in one response.
const MAX_EVENTS: u32 = 1000;

impl Remote {
    fn get(&self, path: &[&str]) -> Result<Request, ApiError> {
        Ok(Request::get(self.address().api_url(path)?))
    }

    fn post(&self, path: &[&str]) -> Result<Request, ApiError> {
        Ok(Request::post(self.address().api_url(path)?))
    }

    fn task_action(&self, id: TaskId, action: &str) -> Result<Request, ApiError> {
        self.post(&["tasks", &id.to_string(), action])
    }

    fn execution_action(&self, id: ExecutionId, action: &str) -> Result<Request, ApiError> {
        self.post(&["executions", &id.to_string(), action])
    }

    fn claim_action(
        &self,
        id: TaskId,
        action: &str,
        body: &impl Serialize,
    ) -> Result<Request, ApiError> {
        self.post(&["claims", &id.to_string(), action])?.json(body)
    }
}

/// A task that is safe to submit twice: by its own key or id, or by a new id.
struct RepeatableTask {
    task: NewTask,
    is_new: bool,
}

impl RepeatableTask {
    fn of(mut task: NewTask) -> Self {
        let is_new = task.id.is_none() && task.idempotency_key.is_none();
        if is_new {
            task.id = Some(TaskId::fresh());
        }
        Self { task, is_new }
    }
}

#[derive(Serialize)]
struct KeyQuery<'k> {
    key: &'k str,
}

#[derive(Serialize)]
struct PauseQuery {
    new: bool,
}

#[derive(Serialize)]
struct EventsQuery {
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<i64>,
    limit: u32,
}

#[async_trait]
impl Api for Remote {
    async fn now(&self) -> Result<Timestamp, ApiError> {
        Ok(self.fetch::<StoreTime>(self.get(&["time"])?).await?.now)
    }

    async fn preview(&self, task: NewTask) -> Result<Preview, ApiError> {
        self.fetch(self.post(&["tasks", "preview"])?.repeatable().json(&task)?).await
    }

    async fn submit(&self, task: NewTask) -> Result<Submission, ApiError> {
        let RepeatableTask { task, is_new } = RepeatableTask::of(task);
        let request = self.post(&["tasks"])?.repeatable().json(&task)?;
        let mut submission: Submission = self.fetch(request).await?;
        // A new task can exist already only if the first response was lost.
        submission.existed &= !is_new;
        Ok(submission)
    }

    async fn submit_all(&self, tasks: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError> {
        let (tasks, new): (Vec<_>, Vec<_>) =
            tasks.into_iter().map(RepeatableTask::of).map(|it| (it.task, it.is_new)).unzip();
        let request = self.post(&["tasks", "batch"])?.repeatable().bulk().json(&tasks)?;
        let mut submitted: Vec<Submitted> = self.fetch(request).await?;
        for (submitted, is_new) in submitted.iter_mut().zip(new) {
            submitted.existed &= !is_new;
        }
        Ok(submitted)
    }

    async fn task(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.fetch(self.get(&["tasks", &id.to_string()])?).await
    }

    async fn task_by_key(&self, key: &str) -> Result<TaskView, ApiError> {
        self.fetch(self.get(&["tasks", "by-key"])?.query(&KeyQuery { key })?).await
    }

    async fn tasks(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError> {
        self.fetch(self.get(&["tasks"])?.query(filter)?.query(page)?).await
    }

    async fn cancel(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.fetch(self.task_action(id, "cancel")?).await
    }

    async fn run_now(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.fetch(self.task_action(id, "run-now")?).await
    }

    async fn set_expiry(&self, id: TaskId, when: Option<When>) -> Result<TaskView, ApiError> {
        let expiry = NewExpiry { expires_at: when };
        self.fetch(self.task_action(id, "expiry")?.repeatable().json(&expiry)?).await
    }

    async fn requeue(&self, id: TaskId, options: RequeueOne) -> Result<TaskView, ApiError> {
        self.fetch(self.task_action(id, "requeue")?.json(&options)?).await
    }

    async fn requeue_all(&self, requeue: &RequeueMany) -> Result<Requeued, ApiError> {
        let request = self.post(&["tasks", "requeue"])?.bulk().json(requeue)?;
        self.fetch(if requeue.dry_run { request.repeatable() } else { request }).await
    }

    async fn stats(&self) -> Result<StatsView, ApiError> {
        self.fetch(self.get(&["stats"])?).await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>, ApiError> {
        self.fetch(self.get(&["queues"])?).await
    }

    async fn pause(&self, queue: &str, new: bool) -> Result<(), ApiError> {
        let request = self.post(&["queues", queue, "pause"])?.repeatable();
        self.command(if new { request.query(&PauseQuery { new })? } else { request }).await
    }

    async fn resume(&self, queue: &str) -> Result<(), ApiError> {
        self.command(self.post(&["queues", queue, "resume"])?.repeatable()).await
    }

    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageQuery,
    ) -> Result<Page<AuditEntry>, ApiError> {
        self.fetch(self.get(&["audit"])?.query(filter)?.query(page)?).await
    }

    async fn policies(&self) -> Result<PoliciesView, ApiError> {
        self.fetch(self.get(&["policies"])?).await
    }

    async fn plan(&self, policy: &str, query: &PlanQuery) -> Result<PlanView, ApiError> {
        self.fetch(self.get(&["policies", policy, "plan"])?.query(query)?).await
    }

    async fn classify(&self, request: ClassifyRequest) -> Result<Classification, ApiError> {
        self.fetch(self.post(&["classify"])?.repeatable().json(&request)?).await
    }

    async fn claim(&self, claim: &NewClaim) -> Result<Claims, ApiError> {
        self.fetch(self.post(&["claims"])?.json(claim)?).await
    }

    async fn heartbeat(&self, id: TaskId, request: HeartbeatRequest) -> Result<(), ApiError> {
        self.command(self.claim_action(id, "heartbeat", &request)?.repeatable()).await
    }

    async fn complete(&self, id: TaskId, completion: Completion) -> Result<(), ApiError> {
        self.command(self.claim_action(id, "complete", &completion)?).await
    }

    async fn fail(&self, id: TaskId, failure: AttemptFailure) -> Result<FailResponse, ApiError> {
        self.fetch(self.claim_action(id, "fail", &failure)?).await
    }

    async fn events(
        &self,
        filter: &EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<Events, ApiError> {
        let after = match from {
            EventsFrom::Latest => None,
            EventsFrom::After(number) => Some(number),
        };
        let page = EventsQuery { after, limit: limit.clamp(1, MAX_EVENTS) };
        self.fetch(self.get(&["events"])?.query(filter)?.query(&page)?).await
    }

    async fn metrics_summary(&self, window: Window) -> Result<MetricsSummary, ApiError> {
        self.fetch(self.get(&["metrics", "summary"])?.query(&window)?).await
    }

    async fn task_session(&self, id: TaskId) -> Result<Session, ApiError> {
        self.fetch(self.get(&["tasks", &id.to_string(), "session"])?).await
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageQuery,
    ) -> Result<Page<Session>, ApiError> {
        self.fetch(self.get(&["sessions"])?.query(filter)?.query(page)?).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerView>, ApiError> {
        self.fetch(self.get(&["breakers"])?).await
    }

    async fn override_breaker(
        &self,
        policy: &str,
        command: BreakerCommand,
    ) -> Result<(), ApiError> {
        self.command(self.post(&["breakers", policy, command.name()])?.repeatable()).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>, ApiError> {
        self.fetch(self.get(&["budgets"])?).await
    }

    async fn workers(&self) -> Result<Vec<WorkerView>, ApiError> {
        self.fetch(self.get(&["workers"])?).await
    }

    async fn check_workflow(&self, text: &str) -> Result<CheckedWorkflow, ApiError> {
        let request = self.post(&["workflows", "check"])?.repeatable();
        self.fetch(request.json(&workflow_json(text)?)?).await
    }

    async fn save_workflow(&self, text: &str) -> Result<WorkflowView, ApiError> {
        self.fetch(self.post(&["workflows"])?.repeatable().json(&workflow_json(text)?)?).await
    }

    async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowView>, ApiError> {
        self.fetch(self.get(&["workflows"])?.query(page)?).await
    }

    async fn workflow(&self, id: i64) -> Result<WorkflowView, ApiError> {
        self.fetch(self.get(&["workflows", &id.to_string()])?).await
    }

    async fn start_execution(
        &self,
        workflow: i64,
        new: NewExecution,
    ) -> Result<StartedExecution, ApiError> {
        let request = self.post(&["workflows", &workflow.to_string(), "executions"])?.json(&new)?;
        // With a key the start is idempotent.
        self.fetch(if new.key.is_some() { request.repeatable() } else { request }).await
    }

    async fn execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        self.fetch(self.get(&["executions", &id.to_string()])?).await
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageQuery,
    ) -> Result<Page<Execution>, ApiError> {
        self.fetch(self.get(&["executions"])?.query(filter)?.query(page)?).await
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<Execution>, ApiError> {
        self.fetch(self.get(&["executions", &id.to_string(), "chain"])?).await
    }

    async fn cancel_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        self.fetch(self.execution_action(id, "cancel")?).await
    }

    async fn resume_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        self.fetch(self.execution_action(id, "resume")?).await
    }

    async fn retry_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        self.fetch(self.execution_action(id, "retry")?).await
    }
}

/// The workflow as JSON.
fn workflow_json(text: &str) -> Result<&RawValue, ApiError> {
    serde_json::from_str(text).map_err(|error| {
        let detail = format!("the workflow is not valid JSON: {error}");
        ApiError::new(ErrorKind::Invalid, detail).next("see docs/workflows.md")
    })
}
