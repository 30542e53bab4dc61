//! Everything that can be asked.

use async_trait::async_trait;
use jiff::Timestamp;
use steadfast::observe::{MetricsSummary, Session};
use steadfast_store::{AuditEntry, BreakerCommand, BudgetReport, ExecutionId, TaskId, When};

use crate::breakers::BreakerView;
use crate::claims::{AttemptFailure, Claims, Completion, FailResponse, HeartbeatRequest, NewClaim};
use crate::error::ApiError;
use crate::events::{EventFilter, Events, EventsFrom};
use crate::metrics_summary::Window;
use crate::page::{Page, PageQuery};
use crate::policies::PoliciesView;
use crate::policies::{Classification, ClassifyRequest};
use crate::policies::{PlanQuery, PlanView};
use crate::sessions::SessionFilter;
use crate::tasks::NewTask;
use crate::tasks::Preview;
use crate::tasks::TaskView;
use crate::tasks::{RequeueMany, RequeueOne, Requeued};
use crate::tasks::{Submission, Submitted};
use crate::workers::WorkerView;
use crate::workflows::{
    CheckedWorkflow, ExecutionFilter, ExecutionView, NewExecution, StartedExecution, WorkflowView,
};
use crate::{audit::AuditFilter, tasks::TaskFilter};
use crate::{queues::QueueView, tasks::StatsView};

/// A store, wherever it is. Every error says what, where and what next.
#[async_trait]
pub trait Api: Send + Sync {
    /// The store's time, which all its times are told by (D4).
    async fn now(&self) -> Result<Timestamp, ApiError>;

    /// What would become of a task, without taking it (D18).
    async fn preview(&self, task: NewTask) -> Result<Preview, ApiError>;

    /// Takes a task. When this returns, it is kept.
    async fn submit(&self, task: NewTask) -> Result<Submission, ApiError>;

    /// Takes many tasks, all or none. The answers are in their order.
    async fn submit_all(&self, tasks: Vec<NewTask>) -> Result<Vec<Submitted>, ApiError>;

    /// One task, with its history and what is still to come of it.
    async fn task(&self, id: TaskId) -> Result<TaskView, ApiError>;

    /// The same for the task that an idempotency key belongs to.
    async fn task_by_key(&self, key: &str) -> Result<TaskView, ApiError>;

    /// Some tasks, without their history.
    async fn tasks(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError>;

    /// Calls a task off, running or not.
    async fn cancel(&self, id: TaskId) -> Result<TaskView, ApiError>;

    /// Makes a task due now.
    async fn run_now(&self, id: TaskId) -> Result<TaskView, ApiError>;

    /// Changes when a task is too late; never, if there is no time.
    async fn set_expiry(&self, id: TaskId, when: Option<When>) -> Result<TaskView, ApiError>;

    /// Has an ended task tried again.
    async fn requeue(&self, id: TaskId, how: RequeueOne) -> Result<TaskView, ApiError>;

    /// Has ended tasks tried again, not all at once if so wished (D16).
    async fn requeue_all(&self, which: &RequeueMany) -> Result<Requeued, ApiError>;

    /// How many tasks are where, and how well it goes (D15).
    async fn stats(&self) -> Result<StatsView, ApiError>;

    /// Every queue.
    async fn queues(&self) -> Result<Vec<QueueView>, ApiError>;

    /// Takes nothing more from a queue; with `new`, also of one that no task was submitted to yet.
    async fn pause(&self, queue: &str, new: bool) -> Result<(), ApiError>;

    /// Takes from a queue again.
    async fn resume(&self, queue: &str) -> Result<(), ApiError>;

    /// Who did what, newest first (K3).
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: &PageQuery,
    ) -> Result<Page<AuditEntry>, ApiError>;

    /// The policies that tasks can have by name.
    async fn policies(&self) -> Result<PoliciesView, ApiError>;

    /// What a policy will do: each attempt's delay, its band and the running total.
    async fn plan(&self, policy: &str, query: &PlanQuery) -> Result<PlanView, ApiError>;

    /// What a failure means, and which rule says so (J1).
    async fn classify(&self, failure: ClassifyRequest) -> Result<Classification, ApiError>;

    /// Takes due tasks for a worker (D19).
    async fn claim(&self, wanted: &NewClaim) -> Result<Claims, ApiError>;

    /// Keeps the lease of a claimed task alive.
    async fn heartbeat(&self, id: TaskId, sign: HeartbeatRequest) -> Result<(), ApiError>;

    /// A claimed task is done.
    async fn complete(&self, id: TaskId, done: Completion) -> Result<(), ApiError>;

    /// An attempt at a claimed task failed; its policy says what follows.
    async fn fail(&self, id: TaskId, failure: AttemptFailure) -> Result<FailResponse, ApiError>;

    /// What happened, oldest first: at most so many of the last, or of those after a number (O1).
    async fn events(
        &self,
        filter: &EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<Events, ApiError>;

    /// How well it went within a window of time, by policy and by subsystem (O1).
    async fn figures(&self, window: Window) -> Result<MetricsSummary, ApiError>;

    /// A task as the session that it is (O1), with its attempts since its last fresh start.
    async fn task_session(&self, id: TaskId) -> Result<Session, ApiError>;

    /// The sessions of processes that were recorded in the store and tasks that ended, the latest
    /// first (O1).
    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageQuery,
    ) -> Result<Page<Session>, ApiError>;

    /// The breakers of all instances (G1).
    async fn breakers(&self) -> Result<Vec<BreakerView>, ApiError>;

    /// Wants something of a policy's breaker, in every instance.
    async fn order_breaker(&self, policy: &str, wish: BreakerCommand) -> Result<(), ApiError>;

    /// The budgets of all instances, by policy and instance (G3).
    async fn budgets(&self) -> Result<Vec<BudgetReport>, ApiError>;

    /// Everybody who works, by name (H2).
    async fn workers(&self) -> Result<Vec<WorkerView>, ApiError>;

    /// Whether a workflow makes sense, and everything that is wrong with it (W1).
    async fn check_workflow(&self, text: &str) -> Result<CheckedWorkflow, ApiError>;

    /// Keeps a workflow, so that executions of it can be started.
    async fn keep_workflow(&self, text: &str) -> Result<WorkflowView, ApiError>;

    /// The workflows, newest first.
    async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowView>, ApiError>;

    /// One workflow.
    async fn workflow(&self, id: i64) -> Result<WorkflowView, ApiError>;

    /// Starts an execution of a workflow. When this returns, it is kept.
    async fn start_execution(
        &self,
        workflow: i64,
        new: NewExecution,
    ) -> Result<StartedExecution, ApiError>;

    /// One execution with its nodes.
    async fn execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError>;

    /// Some executions without their nodes, newest first.
    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageQuery,
    ) -> Result<Page<ExecutionView>, ApiError>;

    /// The executions that this one follows and that follow it, oldest first (W3).
    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<ExecutionView>, ApiError>;

    /// Calls an execution off, with what is under way of it.
    async fn cancel_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError>;

    /// Has an execution that failed or was cancelled go on from the nodes that did not complete.
    async fn resume_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError>;

    /// Starts an execution that follows one that failed or was cancelled; answers with the new one.
    async fn retry_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError>;
}
