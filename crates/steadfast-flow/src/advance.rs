//! Advancing executions: reads their states, plans their next steps, and writes these.
//!
//! Any process may do this at any time, also concurrently. A step is written only if its execution has
//! not changed since it was read; otherwise it is read again. So it does not matter which process
//! handles a completion, how often, or when, and a killed process leaves nothing half done. Executions
//! are advanced in batches, with a few statements for hundreds of them.

use std::sync::Arc;
use std::time::Duration;

use steadfast::policy::Nested;
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{
    Actor, AuditEntry, Ending, ExecutionError, ExecutionId, ExecutionState, ExecutionStatus,
    Program, Result, StoreError, TaskId,
};
use tracing::{info, warn};

use crate::flow::Flow;
use crate::plan::{self, Plan, plan};
use crate::start_nodes::MAX_WRITE_BYTES;
use crate::workflow::Workflow;

/// How many executions are advanced in one transaction.
const BATCH_SIZE: usize = 250;

/// How often executions that changed since they were read are read again. The process that changed
/// them has advanced them; the sweep covers the rest.
pub(crate) const MAX_CONFLICT_RETRIES: usize = 50;

/// A deadlock, a lost connection or a busy pool is worth a few retries before it is left to the sweep,
/// which delays the next node.
const STORE_RETRY: Policy = Policy::exponential(Duration::from_millis(50))
    .max_attempts(6)
    .max_delay(Duration::from_secs(2))
    .jitter(Jitter::Full)
    .nested(Nested::Both)
    .constant();

/// An execution, its workflow and its plan.
pub(crate) struct PlannedExecution {
    pub(crate) state: ExecutionState,
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) plan: Plan,
}

/// The executions that have to be planned again.
#[derive(Default)]
pub(crate) struct Unfinished {
    /// They have changed since they were read, and their steps were not written.
    pub(crate) changed: Vec<ExecutionId>,
    /// More of their nodes start than fit in one batch.
    pub(crate) deferred: Vec<ExecutionId>,
}

impl Flow {
    /// Advances the executions of these tasks.
    pub(crate) async fn advance_after(&self, ended: &[TaskId]) {
        for tasks in ended.chunks(1000) {
            Box::pin(self.advance_chunk(tasks)).await;
        }
    }

    async fn advance_chunk(&self, ended: &[TaskId]) {
        match retry(&STORE_RETRY, || self.store.executions_of_tasks(ended)).await {
            Ok(executions) => self.advance_all(&executions).await,
            Err(error) => {
                warn!(target: "steadfast", %error, "cannot advance executions: leaving them to the sweep");
            }
        }
    }

    /// Advances executions. What fails now is left to the next sweep.
    pub(crate) async fn advance_all(&self, executions: &[ExecutionId]) {
        for batch in executions.chunks(BATCH_SIZE) {
            // Boxed because a serving process holds several of these large futures.
            Box::pin(self.advance_batch(batch)).await;
        }
    }

    async fn advance_batch(&self, batch: &[ExecutionId]) {
        let advanced = retry(&STORE_RETRY, || Box::pin(self.advance(batch.to_vec()))).await;
        let Err(error) = advanced else { return };
        if error.error().is_none_or(StoreError::is_transient) {
            warn!(target: "steadfast", %error, "cannot advance executions: leaving them to the sweep");
            return;
        }
        // One of them cannot advance; the others must not wait for it.
        for single in batch {
            Box::pin(self.advance_single(*single)).await;
        }
    }

    /// Advances one execution, and fails it if it can never advance, so that operators see it.
    async fn advance_single(&self, id: ExecutionId) {
        let Err(error) = self.advance(vec![id]).await else { return };
        let failed = match is_permanent(&error) {
            true => self.fail(id, &format!("cannot advance: {error}")).await,
            false => Err(error),
        };
        if let Err(error) = failed {
            warn!(
                target: "steadfast", execution = %id, %error,
                "cannot advance the execution: leaving it to the sweep"
            );
        }
    }

    async fn advance(&self, mut remaining: Vec<ExecutionId>) -> Result<()> {
        for _ in 0..MAX_CONFLICT_RETRIES {
            let unfinished = self.apply_steps(self.planned(&remaining).await?).await?;
            remaining = unfinished.changed;
            // Each round starts some nodes, so this ends.
            let mut deferred = unfinished.deferred;
            while !deferred.is_empty() {
                let unfinished = self.apply_steps(self.planned(&deferred).await?).await?;
                deferred = unfinished.deferred;
                remaining.extend(unfinished.changed);
            }
            if remaining.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn planned(&self, executions: &[ExecutionId]) -> Result<Vec<PlannedExecution>> {
        let states = self.store.execution_states(executions).await?;
        let mut planned = Vec::with_capacity(states.len());
        for state in states {
            let workflow = self.definitions.get(&self.store, state.workflow).await?;
            let plan = plan(&state, &workflow);
            planned.push(PlannedExecution { state, workflow, plan });
        }
        Ok(planned)
    }

    /// Completes plans and writes their steps. Returns what has to be planned again.
    pub(crate) async fn apply_steps(
        &self,
        mut planned: Vec<PlannedExecution>,
    ) -> Result<Unfinished> {
        let mut write_budget = MAX_WRITE_BYTES;
        let mut deferred = self.start_nodes(&mut planned, &mut write_budget).await?;
        deferred.extend(self.settle_failures(&mut planned, &mut write_budget).await?);
        deferred.sort_unstable();
        deferred.dedup();
        let mut orphaned: Vec<_> = planned
            .iter_mut()
            .map(|one| (one.state.id, std::mem::take(&mut one.plan.orphaned)))
            .collect();
        let steps: Vec<_> = planned
            .into_iter()
            .map(|one| one.plan.step)
            .filter(|step| !step.is_nothing() || step.follow_up.is_some())
            .collect();
        let endings: Vec<_> =
            steps.iter().map(|step| (step.execution, step.ending.clone())).collect();
        let accepted = self.store.apply_steps(steps).await?;
        let mut changed = Vec::new();
        for ((id, ending), accepted) in endings.into_iter().zip(accepted) {
            match (accepted, ending) {
                (false, _) => changed.push(id),
                (true, Some(ending)) => log(id, &ending),
                (true, None) => {}
            }
        }
        orphaned.retain(|(id, tasks)| !tasks.is_empty() && !changed.contains(id));
        self.store.cancel_leftover_tasks(&orphaned, &Program::Flow.into()).await?;
        Ok(Unfinished { changed, deferred })
    }

    async fn fail(&self, id: ExecutionId, reason: &str) -> Result<()> {
        for _ in 0..MAX_CONFLICT_RETRIES {
            let Some(state) = self.store.execution_states(&[id]).await?.pop() else {
                return Ok(());
            };
            let ending = Ending {
                status: ExecutionStatus::Failed,
                node: None,
                message: Some(reason.to_owned()),
            };
            let ending = Some(ending).filter(|_| state.status == ExecutionStatus::Running);
            if self.end(&state, ending, None, &Program::Flow.into()).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Ends an execution, whatever its workflow says, and cancels its open tasks. Returns `false` if it
    /// has changed since it was read.
    pub(crate) async fn end(
        &self,
        state: &ExecutionState,
        ending: Option<Ending>,
        audit: Option<AuditEntry>,
        by: &Actor,
    ) -> Result<bool> {
        let step = plan::end(state, ending.clone(), audit);
        if !step.is_nothing() && self.store.apply_steps(vec![step]).await? != [true] {
            return Ok(false);
        }
        if let Some(ending) = &ending {
            log(state.id, ending);
        }
        self.store.cancel_leftover_tasks(&[(state.id, plan::open_tasks(state))], by).await?;
        Ok(true)
    }
}

/// Whether a retry would fail in the same way.
const fn is_permanent(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Invalid(_)
            | StoreError::KeyTaken { .. }
            | StoreError::IdTaken(_)
            | StoreError::Decode { .. }
            | StoreError::Execution(
                ExecutionError::Unreadable { .. } | ExecutionError::NoWorkflow(_)
            )
    )
}

fn log(execution: ExecutionId, ending: &Ending) {
    let message = ending.message.as_deref().unwrap_or_default();
    match ending.status {
        ExecutionStatus::Failed => {
            warn!(target: "steadfast", %execution, message, "execution failed");
        }
        status => info!(target: "steadfast", %execution, %status, message, "execution ended"),
    }
}
