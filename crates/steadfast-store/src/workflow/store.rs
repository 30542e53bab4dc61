//! Store operations on workflows and executions.

use std::time::Duration;

use jiff::Timestamp;

use super::{
    ExecutionError, ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion,
    NewExecution, NodeValue, OrphanedNodes, Started, StartedNode, Step, StoredExecution,
    ValuesWanted, WorkflowDefinition,
};
use crate::control::Actor;
use crate::error::{InputError, Result, StoreError};
use crate::page::{Page, PageRequest};
use crate::queue::submit::{CheckedTask, Policies};
use crate::store::{Store, forward};
use crate::task::{TaskId, document, name};

impl Store {
    /// Stores a workflow's definition once for all its executions, and returns its number. With an
    /// actor, an audit entry is written, even if the definition existed.
    ///
    /// # Errors
    /// The name is invalid, the text is too long, or the database failed; then nothing was written.
    pub async fn save_workflow(
        &self,
        workflow: &str,
        text: &str,
        actor: Option<&Actor>,
    ) -> Result<i64> {
        name("name", workflow)?;
        document("workflow", text)?;
        self.roles.workflows.save_workflow(workflow, text, actor).await
    }

    /// The definitions, newest first. A page ends early once it has
    /// [`MAX_SHOWN_BYTES`](super::MAX_SHOWN_BYTES).
    ///
    /// # Errors
    /// The cursor is of another list, or the database failed.
    pub async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        self.roles.workflows.workflows(page).await
    }

    /// Starts executions with their first nodes, all or none. The answers are in their order.
    ///
    /// # Errors
    /// A trigger, a key or a task is invalid, a key belongs to another execution, or the
    /// database failed; then nothing was written.
    pub async fn start_executions(&self, new: Vec<NewExecution>) -> Result<Vec<Started>> {
        let mut checker = NodeChecker(Policies::new(&*self.find_policy));
        let new = new.into_iter().map(|one| checker.execution(one)).collect::<Result<_, _>>()?;
        self.roles.workflows.start_executions(new).await
    }

    /// Applies the steps that are current, all of them in one transaction, and returns which were
    /// applied.
    ///
    /// # Errors
    /// A task is invalid, or the database failed; then nothing was written.
    pub async fn apply_steps(&self, steps: Vec<Step>) -> Result<Vec<bool>> {
        let count = steps.len();
        let mut checker = NodeChecker(Policies::new(&*self.find_policy));
        let steps = steps.into_iter().map(|step| checker.step(step)).collect::<Result<_, _>>()?;
        match self.roles.workflows.apply_steps(steps).await {
            Err(StoreError::Execution(ExecutionError::Changed)) => Ok(vec![false; count]),
            applied => applied,
        }
    }

    /// Cancels the open tasks of finished executions, and returns the cancelled tasks. An execution
    /// that was resumed keeps its tasks. A task that changes its state in between is left for the
    /// next call.
    ///
    /// # Errors
    /// The database failed; then nothing was cancelled.
    pub async fn cancel_leftover_tasks(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        actor: &Actor,
    ) -> Result<Vec<TaskId>> {
        if tasks.iter().all(|(_, tasks)| tasks.is_empty()) {
            return Ok(Vec::new());
        }
        let cancelled = self.roles.workflows.cancel_leftover_tasks(tasks, actor).await?;
        self.completions.publish(&cancelled);
        Ok(cancelled)
    }

    /// The failures of these tasks. Tasks that have not failed are left out.
    ///
    /// # Errors
    /// The database failed.
    pub async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        self.roles.workflows.failures(tasks).await
    }

    /// One execution with its nodes.
    ///
    /// # Errors
    /// The execution does not exist, or the database failed.
    pub async fn execution(&self, id: ExecutionId) -> Result<StoredExecution> {
        let found = self.roles.workflows.execution(id).await?;
        Ok(found.ok_or(ExecutionError::NotFound(id))?)
    }

    /// A page of executions without their nodes, newest first.
    ///
    /// # Errors
    /// The filter has an invalid name, the cursor is of another list, or the database failed.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        filter.check()?;
        self.roles.workflows.executions(filter, page).await
    }

    /// The executions that this one follows and that follow it (W3), without their nodes, oldest
    /// first, at most [`MAX_CHAIN_LENGTH`](super::MAX_CHAIN_LENGTH) either way, without pruned ones.
    ///
    /// # Errors
    /// The execution does not exist, or the database failed.
    pub async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        let chain = self.roles.workflows.execution_chain(id).await?;
        if chain.is_empty() { Err(ExecutionError::NotFound(id).into()) } else { Ok(chain) }
    }

    forward! {
        /// The definition with this number.
        workflows.workflow(number: i64) -> Option<WorkflowDefinition>;
        /// The states of these executions. Missing ones are left out.
        workflows.execution_states(ids: &[ExecutionId]) -> Vec<ExecutionState>;
        /// The inputs of nodes that are about to start. Missing values are left out. `None` if
        /// there are `max_bytes` or more: request fewer at a time.
        workflows.execution_values(wanted: &[ValuesWanted], max_bytes: u64)
            -> Option<Vec<NodeValue>>;
        /// The executions that have a submitted node among these tasks.
        workflows.executions_of_tasks(tasks: &[TaskId]) -> Vec<ExecutionId>;
        /// Executions with a submitted node whose task has ended within this time: those of `limit`
        /// such nodes at most. The cost depends on the finished tasks, not on the waiting ones.
        workflows.missed_completions(within: Duration, limit: u32) -> MissedCompletion;
        /// Checks up to `limit` submitted nodes after this one for missed completions.
        workflows.orphaned_nodes(after: Option<TaskId>, limit: u32) -> OrphanedNodes;
    }
}

/// Checks the tasks of nodes. Each policy is resolved once per batch.
struct NodeChecker<'f>(Policies<'f>);

impl NodeChecker<'_> {
    fn execution(&mut self, new: NewExecution) -> Result<NewExecution<CheckedTask>, InputError> {
        document("trigger", &new.trigger)?;
        if let Some(key) = &new.key {
            name("key", key)?;
        }
        Ok(NewExecution {
            id: new.id,
            workflow: new.workflow,
            trigger: new.trigger,
            key: new.key,
            progress: new.progress,
            counted_from: new.counted_from,
            run_at: new.run_at,
            started: self.started(new.started)?,
            audit: new.audit,
        })
    }

    fn step(&mut self, step: Step) -> Result<Step<CheckedTask>, InputError> {
        let follow_up = step.follow_up.map(|next| self.execution(*next)).transpose()?;
        Ok(Step {
            execution: step.execution,
            version: step.version,
            ended: step.ended,
            started: self.started(step.started)?,
            deferred: step.deferred,
            resumed: step.resumed,
            ending: step.ending,
            follow_up: follow_up.map(Box::new),
            audit: step.audit,
        })
    }

    fn started(
        &mut self,
        nodes: Vec<StartedNode>,
    ) -> Result<Vec<StartedNode<CheckedTask>>, InputError> {
        let check = |StartedNode { number, task }| {
            let task = CheckedTask::new(task, &mut self.0, Timestamp::UNIX_EPOCH)?;
            Ok(StartedNode { number, task })
        };
        nodes.into_iter().map(check).collect()
    }
}
