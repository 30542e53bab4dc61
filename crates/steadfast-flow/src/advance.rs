//! Executions go on: what has happened is read, what follows is computed, and the steps are taken.
//!
//! Anybody may do it, at any time, several at once. A step holds only if its execution is still as
//! it was read; who was too late reads again. So it does not matter who notices that a task has
//! ended, how often, or when, and a process that is killed leaves nothing half done. Executions go
//! in batches: a few statements for hundreds of them.

use std::sync::Arc;
use std::time::Duration;

use steadfast::policy::Nested;
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{
    Actor, AuditEntry, Ending, ExecutionError, ExecutionId, ExecutionState, ExecutionStatus,
    Program, Result, StoreError, TaskId,
};
use tracing::{info, warn};

use crate::begin::WRITTEN;
use crate::flow::Flow;
use crate::plan::{self, Plan, plan};
use crate::workflow::Workflow;

/// How many executions go in one transaction.
const BATCH: usize = 250;

/// How often an execution is read again that others were faster with. Whoever was faster has
/// advanced it; should that be for ever, the sweep goes on.
const ROUNDS: usize = 50;

/// A deadlock, a lost connection or a busy pool is worth a few tries before it is left to the
/// sweep, for which whoever waits for the next node would wait.
const PATIENCE: Policy = Policy::exponential(Duration::from_millis(50))
    .max_attempts(6)
    .max_delay(Duration::from_secs(2))
    .jitter(Jitter::Full)
    .nested(Nested::Both)
    .constant();

/// An execution, its workflow and what is to be done.
pub(crate) struct Planned {
    pub(crate) state: ExecutionState,
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) plan: Plan,
}

/// The executions that have to be looked at again.
#[derive(Default)]
pub(crate) struct Again {
    /// They have changed since they were read, and nothing was written of them.
    pub(crate) changed: Vec<ExecutionId>,
    /// More of their nodes begin than in one batch.
    pub(crate) put_off: Vec<ExecutionId>,
}

impl Flow {
    /// Has executions go on of which these tasks are nodes.
    pub(crate) async fn advance_after(&self, ended: &[TaskId]) {
        for tasks in ended.chunks(1000) {
            Box::pin(self.advance_these(tasks)).await;
        }
    }

    async fn advance_these(&self, ended: &[TaskId]) {
        match retry(&PATIENCE, || self.store.executions_of(ended)).await {
            Ok(executions) => self.advance_all(&executions).await,
            Err(error) => warn!(target: "steadfast", %error, "workflows wait for the sweep"),
        }
    }

    /// Has executions go on. What cannot be done now is left for the next sweep.
    pub(crate) async fn advance_all(&self, executions: &[ExecutionId]) {
        for batch in executions.chunks(BATCH) {
            // Boxed: whoever serves holds several of these, and they are large.
            Box::pin(self.advance_batch(batch)).await;
        }
    }

    async fn advance_batch(&self, batch: &[ExecutionId]) {
        let advanced = retry(&PATIENCE, || Box::pin(self.advance(batch.to_vec()))).await;
        let Err(error) = advanced else { return };
        if error.error().is_none_or(StoreError::is_passing) {
            warn!(target: "steadfast", %error, "executions wait for the sweep");
            return;
        }
        // One of them cannot go on. The others must not suffer for it.
        for alone in batch {
            Box::pin(self.advance_alone(*alone)).await;
        }
    }

    /// One that can never go on fails, so that somebody sees it and can do something.
    async fn advance_alone(&self, id: ExecutionId) {
        let Err(error) = self.advance(vec![id]).await else { return };
        let told = match is_for_good(&error) {
            true => self.fail(id, &format!("it cannot go on: {error}")).await,
            false => Err(error),
        };
        if let Err(error) = told {
            warn!(target: "steadfast", execution = %id, %error, "it waits for the sweep");
        }
    }

    async fn advance(&self, mut left: Vec<ExecutionId>) -> Result<()> {
        for _ in 0..ROUNDS {
            let again = self.take(self.planned(&left).await?).await?;
            left = again.changed;
            // Each turn begins some of them, so this ends.
            let mut more = again.put_off;
            while !more.is_empty() {
                let again = self.take(self.planned(&more).await?).await?;
                more = again.put_off;
                left.extend(again.changed);
            }
            if left.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn planned(&self, executions: &[ExecutionId]) -> Result<Vec<Planned>> {
        let states = self.store.execution_states(executions).await?;
        let mut planned = Vec::with_capacity(states.len());
        for state in states {
            let workflow = self.known.get(&self.store, state.workflow).await?;
            let plan = plan(&state, &workflow);
            planned.push(Planned { state, workflow, plan });
        }
        Ok(planned)
    }

    /// Completes plans and takes their steps. Answers what is to be looked at again.
    pub(crate) async fn take(&self, mut planned: Vec<Planned>) -> Result<Again> {
        let mut room = WRITTEN;
        let mut put_off = self.begin(&mut planned, &mut room).await?;
        put_off.extend(self.tell_failures(&mut planned, &mut room).await?);
        put_off.sort_unstable();
        put_off.dedup();
        let mut leftover: Vec<_> = planned
            .iter_mut()
            .map(|one| (one.state.id, std::mem::take(&mut one.plan.leftover)))
            .collect();
        let steps: Vec<_> = planned
            .into_iter()
            .map(|one| one.plan.step)
            .filter(|step| !step.is_nothing() || step.follow_up.is_some())
            .collect();
        let told: Vec<_> = steps.iter().map(|step| (step.execution, step.ending.clone())).collect();
        let answers = self.store.take_steps(steps).await?;
        let mut changed = Vec::new();
        for ((id, ending), holds) in told.into_iter().zip(answers) {
            match (holds, ending) {
                (false, _) => changed.push(id),
                (true, Some(ending)) => log(id, &ending),
                (true, None) => {}
            }
        }
        leftover.retain(|(id, tasks)| !tasks.is_empty() && !changed.contains(id));
        self.store.call_off(&leftover, &Program::Flow.into()).await?;
        Ok(Again { changed, put_off })
    }

    async fn fail(&self, id: ExecutionId, why: &str) -> Result<()> {
        for _ in 0..ROUNDS {
            let Some(state) = self.store.execution_states(&[id]).await?.pop() else {
                return Ok(());
            };
            let ending = Ending {
                status: ExecutionStatus::Failed,
                node: None,
                message: Some(why.to_owned()),
            };
            let ending = Some(ending).filter(|_| state.status == ExecutionStatus::Running);
            if self.end(&state, ending, None, &Program::Flow.into()).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Ends an execution, whatever its workflow says, and calls off what is under way of it.
    /// Whether it was still as it was read.
    pub(crate) async fn end(
        &self,
        state: &ExecutionState,
        ending: Option<Ending>,
        audit: Option<AuditEntry>,
        by: &Actor,
    ) -> Result<bool> {
        let step = plan::end(state, ending.clone(), audit);
        if !step.is_nothing() && self.store.take_steps(vec![step]).await? != [true] {
            return Ok(false);
        }
        if let Some(ending) = &ending {
            log(state.id, ending);
        }
        self.store.call_off(&[(state.id, plan::open_tasks(state))], by).await?;
        Ok(true)
    }
}

/// Whether the same will be so at every other time.
const fn is_for_good(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Invalid(_)
            | StoreError::KeyTaken { .. }
            | StoreError::IdTaken(_)
            | StoreError::Damaged { .. }
            | StoreError::Execution(
                ExecutionError::Unreadable { .. } | ExecutionError::NoWorkflow(_)
            )
    )
}

fn log(execution: ExecutionId, ending: &Ending) {
    let message = ending.message.as_deref().unwrap_or_default();
    match ending.status {
        ExecutionStatus::Failed => {
            warn!(target: "steadfast", %execution, message, "an execution failed");
        }
        status => info!(target: "steadfast", %execution, %status, message, "an execution ended"),
    }
}
