//! The API requests and their URLs.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use steadfast::observe::{MetricsSummary, Session};
use steadfast_store::{AuditEntry, BreakerCommand, BudgetReport, ExecutionId, TaskId, When};

use super::client::Remote;
use super::request::Request;
use crate::{
    Api, ApiError, AttemptFailure, AuditFilter, BreakerView, CheckedWorkflow, Claims,
    Classification, ClassifyRequest, Completion, ErrorKind, EventFilter, Events, EventsFrom,
    Execution, ExecutionFilter, FailResponse, HeartbeatRequest, NewClaim, NewExecution, NewExpiry,
    NewTask, Page, PageQuery, PlanQuery, PlanView, PoliciesView, Preview, QueueInfo, RequeueMany,
    RequeueOne, Requeued, SessionFilter, StartedExecution, StatsView, Submission, Submitted,
    TaskFilter, TaskView, Window, WorkerView, WorkflowView,
};

/// The most events in one response.
const MAX_EVENTS: u32 = 1000;

impl Remote {
    fn get(&self, path: &[&str]) -> Result<Request, ApiError> {
        Ok(Request::get(self.address().api_url(path)?))
    }

    fn post(&self, path: &[&str]) -> Result<Request, ApiError> {
        Ok(Request::post(self.address().api_url(path)?))
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

/// The store's clock.
#[derive(Deserialize)]
struct StoreTime {
    now: Timestamp,
}

#[derive(Serialize)]
struct PauseQuery {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    new: bool,
}

#[derive(Serialize)]
struct EventsQuery {
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<i64>,
    limit: u32,
}

impl EventsQuery {
    fn of(from: EventsFrom, limit: u32) -> Self {
        let after = match from {
            EventsFrom::Latest => None,
            EventsFrom::After(number) => Some(number),
        };
        Self { after, limit: limit.clamp(1, MAX_EVENTS) }
    }
}

/// Implements the API from a table: `method(arguments) -> response = request`. A request is its HTTP
/// method, its path, what is sent as JSON or in the query, and its settings.
macro_rules! requests {
    (
        $($name:ident($($argument:ident: $type:ty),*) -> $response:ty =
            $method:ident[$($segment:expr),*]$(.$part:ident($value:expr))*
            $(, $setting:ident$(($condition:expr))?)*;)*
        $({ $($other:tt)* })?
    ) => {
        #[async_trait]
        impl Api for Remote {
            $(async fn $name(&self, $($argument: $type),*) -> Result<$response, ApiError> {
                let request = self.$method(&[$(&*$segment.to_string()),*])?$(.$part($value)?)*;
                self.fetch(request$(.$setting($($condition)?))*).await
            })*

            $($($other)*)?
        }
    };
}

requests! {
    preview(task: NewTask) -> Preview = post["tasks", "preview"].json(&task), repeatable;
    task(id: TaskId) -> TaskView = get["tasks", id];
    task_by_key(key: &str) -> TaskView = get["tasks", "by-key"].query(&[("key", key)]);
    tasks(filter: &TaskFilter, page: &PageQuery) -> Page<TaskView> =
        get["tasks"].query(filter).query(page);
    cancel(id: TaskId) -> TaskView = post["tasks", id, "cancel"];
    run_now(id: TaskId) -> TaskView = post["tasks", id, "run-now"];
    set_expiry(id: TaskId, when: Option<When>) -> TaskView =
        post["tasks", id, "expiry"].json(&NewExpiry { expires_at: when }), repeatable;
    requeue(id: TaskId, options: RequeueOne) -> TaskView =
        post["tasks", id, "requeue"].json(&options);
    requeue_all(requeue: &RequeueMany) -> Requeued =
        post["tasks", "requeue"].json(requeue), bulk, repeatable_if(requeue.dry_run);

    stats() -> StatsView = get["stats"];
    queues() -> Vec<QueueInfo> = get["queues"];
    pause(queue: &str, new: bool) -> () =
        post["queues", queue, "pause"].query(&PauseQuery { new }), repeatable;
    resume(queue: &str) -> () = post["queues", queue, "resume"], repeatable;
    workers() -> Vec<WorkerView> = get["workers"];
    audit(filter: &AuditFilter, page: &PageQuery) -> Page<AuditEntry> =
        get["audit"].query(filter).query(page);

    policies() -> PoliciesView = get["policies"];
    plan(policy: &str, query: &PlanQuery) -> PlanView =
        get["policies", policy, "plan"].query(query);
    classify(request: ClassifyRequest) -> Classification =
        post["classify"].json(&request), repeatable;
    breakers() -> Vec<BreakerView> = get["breakers"];
    override_breaker(policy: &str, command: BreakerCommand) -> () =
        post["breakers", policy, command.name()], repeatable;
    budgets() -> Vec<BudgetReport> = get["budgets"];

    claim(claim: &NewClaim) -> Claims = post["claims"].json(claim);
    heartbeat(id: TaskId, request: HeartbeatRequest) -> () =
        post["claims", id, "heartbeat"].json(&request), repeatable;
    complete(id: TaskId, completion: Completion) -> () =
        post["claims", id, "complete"].json(&completion);
    fail(id: TaskId, failure: AttemptFailure) -> FailResponse =
        post["claims", id, "fail"].json(&failure);

    events(filter: &EventFilter, from: EventsFrom, limit: u32) -> Events =
        get["events"].query(filter).query(&EventsQuery::of(from, limit));
    metrics_summary(window: Window) -> MetricsSummary = get["metrics", "summary"].query(&window);
    task_session(id: TaskId) -> Session = get["tasks", id, "session"];
    sessions(filter: &SessionFilter, page: &PageQuery) -> Page<Session> =
        get["sessions"].query(filter).query(page);

    check_workflow(text: &str) -> CheckedWorkflow =
        post["workflows", "check"].json(workflow_json(text)?), repeatable;
    save_workflow(text: &str) -> WorkflowView =
        post["workflows"].json(workflow_json(text)?), repeatable;
    workflows(page: &PageQuery) -> Page<WorkflowView> = get["workflows"].query(page);
    workflow(id: i64) -> WorkflowView = get["workflows", id];
    // With a key the start is idempotent.
    start_execution(workflow: i64, new: NewExecution) -> StartedExecution =
        post["workflows", workflow, "executions"].json(&new), repeatable_if(new.key.is_some());
    execution(id: ExecutionId) -> Execution = get["executions", id];
    executions(filter: &ExecutionFilter, page: &PageQuery) -> Page<Execution> =
        get["executions"].query(filter).query(page);
    execution_chain(id: ExecutionId) -> Vec<Execution> = get["executions", id, "chain"];
    cancel_execution(id: ExecutionId) -> Execution = post["executions", id, "cancel"];
    resume_execution(id: ExecutionId) -> Execution = post["executions", id, "resume"];
    retry_execution(id: ExecutionId) -> Execution = post["executions", id, "retry"];

    {
        async fn now(&self) -> Result<Timestamp, ApiError> {
            Ok(self.fetch::<StoreTime>(self.get(&["time"])?).await?.now)
        }

        async fn submit(&self, task: NewTask) -> Result<Submission, ApiError> {
            let RepeatableTask { task, is_new } = RepeatableTask::of(task);
            let request = self.post(&["tasks"])?.json(&task)?.repeatable();
            let mut submission: Submission = self.fetch(request).await?;
            // A new task can exist already only if the first response was lost.
            submission.existed &= !is_new;
            Ok(submission)
        }

        async fn submit_all(&self, tasks: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError> {
            let (tasks, new): (Vec<_>, Vec<_>) =
                tasks.into_iter().map(RepeatableTask::of).map(|it| (it.task, it.is_new)).unzip();
            let request = self.post(&["tasks", "batch"])?.json(&tasks)?.repeatable().bulk();
            let mut submitted: Vec<Submitted> = self.fetch(request).await?;
            for (submitted, is_new) in submitted.iter_mut().zip(new) {
                submitted.existed &= !is_new;
            }
            Ok(submitted)
        }
    }
}

/// The workflow as JSON.
fn workflow_json(text: &str) -> Result<&RawValue, ApiError> {
    serde_json::from_str(text).map_err(|error| {
        let detail = format!("the workflow is not valid JSON: {error}");
        ApiError::new(ErrorKind::Invalid, detail).next("see docs/workflows.md")
    })
}
