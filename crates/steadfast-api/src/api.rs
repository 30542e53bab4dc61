//! The API trait: every request to a store or a server.

use async_trait::async_trait;
use jiff::Timestamp;
use steadfast::observe::{MetricsSummary, Session};
use steadfast_flow::Execution;
use steadfast_store::{
    AuditEntry, BreakerCommand, BudgetReport, ExecutionFilter, ExecutionId, Page, QueueInfo,
    Submitted, TaskId, When,
};

use crate::audit::AuditFilter;
use crate::breakers::BreakerView;
use crate::claims::{AttemptFailure, Claims, Completion, FailResponse, HeartbeatRequest, NewClaim};
use crate::error::ApiError;
use crate::events::{EventFilter, Events, EventsFrom};
use crate::metrics_summary::Window;
use crate::page::PageQuery;
use crate::policies::{Classification, ClassifyRequest, PlanQuery, PlanView, PoliciesView};
use crate::sessions::SessionFilter;
use crate::tasks::{
    NewTask, Preview, RequeueMany, RequeueOne, Requeued, StatsView, Submission, TaskFilter,
    TaskView,
};
use crate::workers::WorkerView;
use crate::workflows::{CheckedWorkflow, NewExecution, StartedExecution, WorkflowView};

/// The API of a store, in this process ([`Local`](crate::Local)) or behind a server
/// (`remote::Remote`). Every error says what is wrong, with which field, and what to do.
#[async_trait]
pub trait Api: Send + Sync {
    /// The store's clock, which all times in the API refer to (D4).
    async fn now(&self) -> Result<Timestamp, ApiError>;

    /// Previews the schedule of a task without submitting it (D18).
    async fn preview(&self, task: NewTask) -> Result<Preview, ApiError>;

    /// Submits a task. It is durable when this returns.
    async fn submit(&self, task: NewTask) -> Result<Submission, ApiError>;

    /// Submits many tasks in one transaction. The results are in the order of the tasks.
    async fn submit_all(&self, tasks: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError>;

    /// Reads one task with its history and its remaining attempts.
    async fn task(&self, id: TaskId) -> Result<TaskView, ApiError>;

    /// Reads the task with this idempotency key.
    async fn task_by_key(&self, key: &str) -> Result<TaskView, ApiError>;

    /// Lists tasks, without their history.
    async fn tasks(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError>;

    /// Cancels a task, running or not.
    async fn cancel(&self, id: TaskId) -> Result<TaskView, ApiError>;

    /// Makes a task due immediately.
    async fn run_now(&self, id: TaskId) -> Result<TaskView, ApiError>;

    /// Sets the expiry of a task; `None` removes it.
    async fn set_expiry(&self, id: TaskId, when: Option<When>) -> Result<TaskView, ApiError>;

    /// Requeues a finished task.
    async fn requeue(&self, id: TaskId, how: RequeueOne) -> Result<TaskView, ApiError>;

    /// Requeues all finished tasks that match a filter, optionally at a limited rate (D16).
    async fn requeue_all(&self, which: &RequeueMany) -> Result<Requeued, ApiError>;

    /// Counts tasks by status and queue, with the success rate (D15).
    async fn stats(&self) -> Result<StatsView, ApiError>;

    /// Lists the queues.
    async fn queues(&self) -> Result<Vec<QueueInfo>, ApiError>;

    /// Pauses a queue. With `new`, the queue may have no tasks yet.
    async fn pause(&self, queue: &str, new: bool) -> Result<(), ApiError>;

    /// Resumes a paused queue.
    async fn resume(&self, queue: &str) -> Result<(), ApiError>;

    /// Lists audit entries, newest first (K3).
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageQuery,
    ) -> Result<Page<AuditEntry>, ApiError>;

    /// Lists the policies that tasks can refer to by name.
    async fn policies(&self) -> Result<PoliciesView, ApiError>;

    /// Plans the attempts of a policy: the delay of each, its range, and the running total.
    async fn plan(&self, policy: &str, query: &PlanQuery) -> Result<PlanView, ApiError>;

    /// Classifies a fault, with the rule that matched (J1).
    async fn classify(&self, failure: ClassifyRequest) -> Result<Classification, ApiError>;

    /// Claims due tasks for a worker (D19).
    async fn claim(&self, wanted: &NewClaim) -> Result<Claims, ApiError>;

    /// Extends the lease of a claimed task.
    async fn heartbeat(&self, id: TaskId, request: HeartbeatRequest) -> Result<(), ApiError>;

    /// Completes a claimed task.
    async fn complete(&self, id: TaskId, completion: Completion) -> Result<(), ApiError>;

    /// Fails the attempt of a claimed task; its policy decides what happens next.
    async fn fail(&self, id: TaskId, failure: AttemptFailure) -> Result<FailResponse, ApiError>;

    /// Lists events, oldest first: the latest `limit`, or those after a number (O1).
    async fn events(
        &self,
        filter: &EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<Events, ApiError>;

    /// Summarizes the sessions of a time window, in total, by policy and by subsystem (O1).
    async fn metrics_summary(&self, window: Window) -> Result<MetricsSummary, ApiError>;

    /// Reads a task as a session (O1), with its attempts since it last started afresh.
    async fn task_session(&self, id: TaskId) -> Result<Session, ApiError>;

    /// Lists recorded sessions and finished tasks, latest first (O1).
    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageQuery,
    ) -> Result<Page<Session>, ApiError>;

    /// Lists the circuit breakers of all instances (G1).
    async fn breakers(&self) -> Result<Vec<BreakerView>, ApiError>;

    /// Opens, closes or isolates a policy's circuit breaker in every instance.
    async fn override_breaker(&self, policy: &str, command: BreakerCommand)
    -> Result<(), ApiError>;

    /// Lists the retry budgets of all instances, by policy and instance (G3).
    async fn budgets(&self) -> Result<Vec<BudgetReport>, ApiError>;

    /// Lists the workers by name (H2).
    async fn workers(&self) -> Result<Vec<WorkerView>, ApiError>;

    /// Validates a workflow and returns all problems (W1).
    async fn check_workflow(&self, text: &str) -> Result<CheckedWorkflow, ApiError>;

    /// Saves a workflow definition, so that executions of it can be started.
    async fn save_workflow(&self, text: &str) -> Result<WorkflowView, ApiError>;

    /// Lists the workflows, newest first.
    async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowView>, ApiError>;

    /// Reads one workflow.
    async fn workflow(&self, id: i64) -> Result<WorkflowView, ApiError>;

    /// Starts an execution of a workflow. It is durable when this returns.
    async fn start_execution(
        &self,
        workflow: i64,
        new: NewExecution,
    ) -> Result<StartedExecution, ApiError>;

    /// Reads one execution with its nodes.
    async fn execution(&self, id: ExecutionId) -> Result<Execution, ApiError>;

    /// Lists executions without their nodes, newest first.
    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageQuery,
    ) -> Result<Page<Execution>, ApiError>;

    /// Lists the chain of retries that an execution belongs to, oldest first (W3).
    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<Execution>, ApiError>;

    /// Cancels an execution and its running nodes.
    async fn cancel_execution(&self, id: ExecutionId) -> Result<Execution, ApiError>;

    /// Resumes a failed or cancelled execution from the nodes that did not complete.
    async fn resume_execution(&self, id: ExecutionId) -> Result<Execution, ApiError>;

    /// Retries a failed or cancelled execution from the start; returns the new execution.
    async fn retry_execution(&self, id: ExecutionId) -> Result<Execution, ApiError>;
}
