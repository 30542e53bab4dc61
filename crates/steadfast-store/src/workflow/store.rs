//! Executions, through the store: what comes in is checked, and tasks get their policies.

use std::time::Duration;

use jiff::Timestamp;

use super::{
    ExecutionError, ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion,
    NewExecution, NodeValue, OrphanedNodes, Started, StartedNode, Step, StoredExecution,
    ValuesWanted, WorkflowDefinition,
};
use crate::control::Actor;
use crate::error::{Invalid, Result, StoreError};
use crate::page::{Page, PageRequest};
use crate::queue::submit::{Admission, Policies};
use crate::store::Store;
use crate::task::{TaskId, document, name};

impl Store {
    /// Keeps the text of a workflow, once for all executions of it, and answers with its number. If
    /// somebody asked for it, that is in the audit log, also where it was kept before.
    ///
    /// # Errors
    /// It has no name, it is too long, or the database failed; then nothing was written.
    pub async fn keep_workflow(&self, called: &str, text: &str, by: Option<&Actor>) -> Result<i64> {
        name("name", called)?;
        document("workflow", text)?;
        self.engine.executions().keep_workflow(called, text, by).await
    }

    /// The workflow of this number.
    ///
    /// # Errors
    /// The database failed.
    pub async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>> {
        self.engine.executions().workflow(number).await
    }

    /// The workflows that executions were started of, newest first. A page ends early once it has
    /// [so many bytes](super::MAX_SHOWN) of them.
    ///
    /// # Errors
    /// The page's cursor is not one of this list, or the database failed.
    pub async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        self.engine.executions().workflows(page).await
    }

    /// Starts executions, all or none, with their first nodes. The answers are in their order.
    ///
    /// # Errors
    /// A trigger, a key or a task cannot be taken, a key belongs to another execution, or the
    /// database failed; then nothing was written.
    pub async fn start_executions(&self, new: Vec<NewExecution>) -> Result<Vec<Started>> {
        let mut desk = Desk(Policies::new(&*self.find_policy));
        let new = new.into_iter().map(|one| desk.execution(one)).collect::<Result<_, _>>()?;
        self.engine.executions().start(new).await
    }

    /// Makes those steps that hold, all of them in one transaction. Answers which did.
    ///
    /// # Errors
    /// A task cannot be taken, or the database failed; then nothing was written.
    pub async fn take_steps(&self, steps: Vec<Step>) -> Result<Vec<bool>> {
        let many = steps.len();
        let mut desk = Desk(Policies::new(&*self.find_policy));
        let steps = steps.into_iter().map(|step| desk.step(step)).collect::<Result<_, _>>()?;
        match self.engine.executions().take(steps).await {
            Err(StoreError::Execution(ExecutionError::Changed)) => Ok(vec![false; many]),
            taken => taken,
        }
    }

    /// Calls off tasks of executions that have ended, each with those of its tasks that have not.
    /// An execution that goes on again by now keeps its tasks. Answers which were called off; what
    /// could not be had in this moment is left.
    ///
    /// # Errors
    /// The database failed; then nothing was called off.
    pub async fn call_off(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        by: &Actor,
    ) -> Result<Vec<TaskId>> {
        if tasks.iter().all(|(_, tasks)| tasks.is_empty()) {
            return Ok(Vec::new());
        }
        let called_off = self.engine.executions().call_off(tasks, by).await?;
        self.tellers.tell(&called_off);
        Ok(called_off)
    }

    /// Where these executions are. One that is not there is left out.
    ///
    /// # Errors
    /// The database failed.
    pub async fn execution_states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        self.engine.executions().states(ids).await
    }

    /// What nodes that begin want to know. What is not there is left out. Nothing if it is `most`
    /// bytes or more: ask for less at once.
    ///
    /// # Errors
    /// The database failed.
    pub async fn execution_values(
        &self,
        wanted: &[ValuesWanted],
        most: u64,
    ) -> Result<Option<Vec<NodeValue>>> {
        self.engine.executions().values(wanted, most).await
    }

    /// How these tasks failed. One that did not is left out.
    ///
    /// # Errors
    /// The database failed.
    pub async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        self.engine.executions().failures(tasks).await
    }

    /// The executions that have a submitted node among these tasks.
    ///
    /// # Errors
    /// The database failed.
    pub async fn executions_of(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        self.engine.executions().of_tasks(tasks).await
    }

    /// Executions that have a submitted node whose task has ended within so long: those of `limit`
    /// such nodes at most. What it costs goes by what has ended, not by what waits.
    ///
    /// # Errors
    /// The database failed.
    pub async fn executions_ended_within(
        &self,
        within: Duration,
        limit: u32,
    ) -> Result<MissedCompletion> {
        self.engine.executions().ended_within(within, limit).await
    }

    /// Looks at up to `limit` submitted nodes after this one for what nobody noticed.
    ///
    /// # Errors
    /// The database failed.
    pub async fn stray_executions(
        &self,
        after: Option<TaskId>,
        limit: u32,
    ) -> Result<OrphanedNodes> {
        self.engine.executions().strays(after, limit).await
    }

    /// One execution with its nodes.
    ///
    /// # Errors
    /// There is none, or the database failed.
    pub async fn execution(&self, id: ExecutionId) -> Result<StoredExecution> {
        let found = self.engine.executions().execution(id).await?;
        Ok(found.ok_or(ExecutionError::NotFound(id))?)
    }

    /// Some executions without their nodes, newest first.
    ///
    /// # Errors
    /// The filter has a name that no workflow can have, the page's cursor is not one of this
    /// list, or the database failed.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        filter.check()?;
        self.engine.executions().list(filter, page).await
    }

    /// The executions that this one follows and that follow it (W3), without their nodes, oldest
    /// first, [so many](super::MAX_CHAIN) either way. What was pruned is not among them.
    ///
    /// # Errors
    /// There is none, or the database failed.
    pub async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        let chain = self.engine.executions().chain(id).await?;
        if chain.is_empty() { Err(ExecutionError::NotFound(id).into()) } else { Ok(chain) }
    }
}

/// Takes in the tasks of nodes. Policies that are named are found once for a batch.
struct Desk<'f>(Policies<'f>);

impl Desk<'_> {
    fn execution(&mut self, new: NewExecution) -> Result<NewExecution<Admission>, Invalid> {
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
            due: new.due,
            begun: self.begun(new.begun)?,
            audit: new.audit,
        })
    }

    fn step(&mut self, step: Step) -> Result<Step<Admission>, Invalid> {
        let follow_up = step.follow_up.map(|next| self.execution(*next)).transpose()?;
        Ok(Step {
            execution: step.execution,
            version: step.version,
            ended: step.ended,
            begun: self.begun(step.begun)?,
            unbegun: step.unbegun,
            resumed: step.resumed,
            ending: step.ending,
            follow_up: follow_up.map(Box::new),
            audit: step.audit,
        })
    }

    fn begun(&mut self, begun: Vec<StartedNode>) -> Result<Vec<StartedNode<Admission>>, Invalid> {
        let admit = |StartedNode { number, task }| {
            let task = Admission::new(task, &mut self.0, Timestamp::UNIX_EPOCH)?;
            Ok(StartedNode { number, task })
        };
        begun.into_iter().map(admit).collect()
    }
}
