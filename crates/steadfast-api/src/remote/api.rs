//! Every question, and where it is asked.

use crate::{
    Api, ApiError, AttemptFailure, AuditFilter, BreakerView, CheckedWorkflow, Claims,
    Classification, ClassifyRequest, Completion, ErrorKind, EventFilter, Events, EventsFrom,
    ExecutionFilter, ExecutionView, FailResponse, HeartbeatRequest, NewClaim, NewExecution,
    NewExpiry, NewTask, Page, PageQuery, PlanQuery, PlanView, PoliciesView, Preview, QueueView,
    RequeueMany, RequeueOne, Requeued, SessionFilter, StartedExecution, StatsView, Submission,
    Submitted, TaskFilter, TaskView, Window, WorkerView, WorkflowView,
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

/// The most events that one answer has.
const MOST_EVENTS: u32 = 1000;

impl Remote {
    fn get(&self, path: &[&str]) -> Result<Request, ApiError> {
        Ok(Request::get(self.address().of(path)?))
    }

    fn post(&self, path: &[&str]) -> Result<Request, ApiError> {
        Ok(Request::post(self.address().of(path)?))
    }

    fn to_task(&self, id: TaskId, verb: &str) -> Result<Request, ApiError> {
        self.post(&["tasks", &id.to_string(), verb])
    }

    fn to_execution(&self, id: ExecutionId, verb: &str) -> Result<Request, ApiError> {
        self.post(&["executions", &id.to_string(), verb])
    }

    fn to_claim(&self, id: TaskId, verb: &str, body: &impl Serialize) -> Result<Request, ApiError> {
        self.post(&["claims", &id.to_string(), verb])?.json(body)
    }
}

/// A task that can be sent twice and is one task: under its own key or id, or under a new id.
struct Identified {
    task: NewTask,
    is_new: bool,
}

impl Identified {
    fn of(mut task: NewTask) -> Self {
        let is_new = task.id.is_none() && task.idempotency_key.is_none();
        if is_new {
            task.id = Some(TaskId::fresh());
        }
        Self { task, is_new }
    }
}

#[derive(Serialize)]
struct ByKey<'k> {
    key: &'k str,
}

#[derive(Serialize)]
struct Ahead {
    new: bool,
}

#[derive(Serialize)]
struct EventPage {
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<i64>,
    limit: u32,
}

#[async_trait]
impl Api for Remote {
    async fn now(&self) -> Result<Timestamp, ApiError> {
        Ok(self.ask::<StoreTime>(self.get(&["time"])?).await?.now)
    }

    async fn preview(&self, task: NewTask) -> Result<Preview, ApiError> {
        self.ask(self.post(&["tasks", "preview"])?.repeatable().json(&task)?).await
    }

    async fn submit(&self, task: NewTask) -> Result<Submission, ApiError> {
        let Identified { task, is_new } = Identified::of(task);
        let request = self.post(&["tasks"])?.repeatable().json(&task)?;
        let mut submission: Submission = self.ask(request).await?;
        // It can be there already only because the first answer was lost.
        submission.existed &= !is_new;
        Ok(submission)
    }

    async fn submit_all(&self, tasks: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError> {
        let (tasks, new): (Vec<_>, Vec<_>) =
            tasks.into_iter().map(Identified::of).map(|it| (it.task, it.is_new)).unzip();
        let request = self.post(&["tasks", "batch"])?.repeatable().long().json(&tasks)?;
        let mut submitted: Vec<Submitted> = self.ask(request).await?;
        for (submitted, is_new) in submitted.iter_mut().zip(new) {
            submitted.existed &= !is_new;
        }
        Ok(submitted)
    }

    async fn task(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.ask(self.get(&["tasks", &id.to_string()])?).await
    }

    async fn task_by_key(&self, key: &str) -> Result<TaskView, ApiError> {
        self.ask(self.get(&["tasks", "by-key"])?.query(&ByKey { key })?).await
    }

    async fn tasks(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError> {
        self.ask(self.get(&["tasks"])?.query(filter)?.query(page)?).await
    }

    async fn cancel(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.ask(self.to_task(id, "cancel")?).await
    }

    async fn run_now(&self, id: TaskId) -> Result<TaskView, ApiError> {
        self.ask(self.to_task(id, "run-now")?).await
    }

    async fn set_expiry(&self, id: TaskId, when: Option<When>) -> Result<TaskView, ApiError> {
        let expiry = NewExpiry { expires_at: when };
        self.ask(self.to_task(id, "expiry")?.repeatable().json(&expiry)?).await
    }

    async fn requeue(&self, id: TaskId, how: RequeueOne) -> Result<TaskView, ApiError> {
        self.ask(self.to_task(id, "requeue")?.json(&how)?).await
    }

    async fn requeue_all(&self, which: &RequeueMany) -> Result<Requeued, ApiError> {
        let request = self.post(&["tasks", "requeue"])?.long().json(which)?;
        self.ask(if which.dry_run { request.repeatable() } else { request }).await
    }

    async fn stats(&self) -> Result<StatsView, ApiError> {
        self.ask(self.get(&["stats"])?).await
    }

    async fn queues(&self) -> Result<Vec<QueueView>, ApiError> {
        self.ask(self.get(&["queues"])?).await
    }

    async fn pause(&self, queue: &str, new: bool) -> Result<(), ApiError> {
        let request = self.post(&["queues", queue, "pause"])?.repeatable();
        self.order(if new { request.query(&Ahead { new })? } else { request }).await
    }

    async fn resume(&self, queue: &str) -> Result<(), ApiError> {
        self.order(self.post(&["queues", queue, "resume"])?.repeatable()).await
    }

    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageQuery,
    ) -> Result<Page<AuditEntry>, ApiError> {
        self.ask(self.get(&["audit"])?.query(filter)?.query(page)?).await
    }

    async fn policies(&self) -> Result<PoliciesView, ApiError> {
        self.ask(self.get(&["policies"])?).await
    }

    async fn plan(&self, policy: &str, query: &PlanQuery) -> Result<PlanView, ApiError> {
        self.ask(self.get(&["policies", policy, "plan"])?.query(query)?).await
    }

    async fn classify(&self, failure: ClassifyRequest) -> Result<Classification, ApiError> {
        self.ask(self.post(&["classify"])?.repeatable().json(&failure)?).await
    }

    async fn claim(&self, wanted: &NewClaim) -> Result<Claims, ApiError> {
        self.ask(self.post(&["claims"])?.json(wanted)?).await
    }

    async fn heartbeat(&self, id: TaskId, sign: HeartbeatRequest) -> Result<(), ApiError> {
        self.order(self.to_claim(id, "heartbeat", &sign)?.repeatable()).await
    }

    async fn complete(&self, id: TaskId, done: Completion) -> Result<(), ApiError> {
        self.order(self.to_claim(id, "complete", &done)?).await
    }

    async fn fail(&self, id: TaskId, failure: AttemptFailure) -> Result<FailResponse, ApiError> {
        self.ask(self.to_claim(id, "fail", &failure)?).await
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
        let page = EventPage { after, limit: limit.clamp(1, MOST_EVENTS) };
        self.ask(self.get(&["events"])?.query(filter)?.query(&page)?).await
    }

    async fn figures(&self, window: Window) -> Result<MetricsSummary, ApiError> {
        self.ask(self.get(&["metrics", "summary"])?.query(&window)?).await
    }

    async fn task_session(&self, id: TaskId) -> Result<Session, ApiError> {
        self.ask(self.get(&["tasks", &id.to_string(), "session"])?).await
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageQuery,
    ) -> Result<Page<Session>, ApiError> {
        self.ask(self.get(&["sessions"])?.query(filter)?.query(page)?).await
    }

    async fn breakers(&self) -> Result<Vec<BreakerView>, ApiError> {
        self.ask(self.get(&["breakers"])?).await
    }

    async fn order_breaker(&self, policy: &str, wish: BreakerCommand) -> Result<(), ApiError> {
        self.order(self.post(&["breakers", policy, wish.name()])?.repeatable()).await
    }

    async fn budgets(&self) -> Result<Vec<BudgetReport>, ApiError> {
        self.ask(self.get(&["budgets"])?).await
    }

    async fn workers(&self) -> Result<Vec<WorkerView>, ApiError> {
        self.ask(self.get(&["workers"])?).await
    }

    async fn check_workflow(&self, text: &str) -> Result<CheckedWorkflow, ApiError> {
        let request = self.post(&["workflows", "check"])?.repeatable();
        self.ask(request.json(&written(text)?)?).await
    }

    async fn keep_workflow(&self, text: &str) -> Result<WorkflowView, ApiError> {
        self.ask(self.post(&["workflows"])?.repeatable().json(&written(text)?)?).await
    }

    async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowView>, ApiError> {
        self.ask(self.get(&["workflows"])?.query(page)?).await
    }

    async fn workflow(&self, id: i64) -> Result<WorkflowView, ApiError> {
        self.ask(self.get(&["workflows", &id.to_string()])?).await
    }

    async fn start_execution(
        &self,
        workflow: i64,
        new: NewExecution,
    ) -> Result<StartedExecution, ApiError> {
        let request = self.post(&["workflows", &workflow.to_string(), "executions"])?.json(&new)?;
        // Under a key it is started once, however often it is sent.
        self.ask(if new.key.is_some() { request.repeatable() } else { request }).await
    }

    async fn execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        self.ask(self.get(&["executions", &id.to_string()])?).await
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageQuery,
    ) -> Result<Page<ExecutionView>, ApiError> {
        self.ask(self.get(&["executions"])?.query(filter)?.query(page)?).await
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<ExecutionView>, ApiError> {
        self.ask(self.get(&["executions", &id.to_string(), "chain"])?).await
    }

    async fn cancel_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        self.ask(self.to_execution(id, "cancel")?).await
    }

    async fn resume_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        self.ask(self.to_execution(id, "resume")?).await
    }

    async fn retry_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        self.ask(self.to_execution(id, "retry")?).await
    }
}

/// A workflow as it is sent. What is no JSON cannot be.
fn written(text: &str) -> Result<&RawValue, ApiError> {
    serde_json::from_str(text).map_err(|error| {
        let detail = format!("the workflow is no JSON: {error}");
        ApiError::new(ErrorKind::Invalid, detail).next("see docs/workflows.md")
    })
}
