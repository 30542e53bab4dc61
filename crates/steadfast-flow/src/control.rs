//! Operator actions on executions: cancel, resume and retry. Each is a step with an audit entry.

use serde_json::json;
use steadfast_store::{
    Actor, AuditEntry, Ending, ExecutionError, ExecutionId, ExecutionState, ExecutionStatus,
    Result, StoreError,
};

use crate::advance::{MAX_CONFLICT_RETRIES, PlannedExecution};
use crate::flow::Flow;
use crate::plan;

impl Flow {
    /// Cancels an execution and its open tasks.
    ///
    /// # Errors
    /// The execution does not exist or has ended, or the database failed.
    pub async fn cancel(&self, id: ExecutionId, by: &Actor) -> Result<()> {
        for _ in 0..MAX_CONFLICT_RETRIES {
            let state = self.state(id).await?;
            if state.status != ExecutionStatus::Running {
                return Err(wrong_status(&state, "cancel"));
            }
            // It may have ended without that being recorded.
            if let Some(planned) = self.unrecorded_end(&state).await? {
                self.apply_steps(vec![planned]).await?;
                continue;
            }
            let ending = Some(Ending::plain(ExecutionStatus::Cancelled));
            let audit = Some(entry(by, "execution.cancel", id));
            if self.end(&state, ending, audit, by).await? {
                self.advance_all(&[id]).await;
                return Ok(());
            }
        }
        Err(too_many_conflicts(id))
    }

    /// Resumes a failed or cancelled execution from the nodes that did not complete. Completed nodes do
    /// not run again (W2).
    ///
    /// # Errors
    /// The execution does not exist, is running or completed, already has a follow-up, or the database
    /// failed.
    pub async fn resume(&self, id: ExecutionId, by: &Actor) -> Result<()> {
        for _ in 0..MAX_CONFLICT_RETRIES {
            let mut planned = self.unsuccessful(id, "resume").await?;
            planned.plan = plan::resume(&planned.state, &planned.workflow);
            planned.plan.step.audit = Some(entry(by, "execution.resume", id));
            let unfinished = self.apply_steps(vec![planned]).await?;
            if unfinished.changed.is_empty() {
                self.advance_all(&unfinished.deferred).await;
                return Ok(());
            }
        }
        Err(too_many_conflicts(id))
    }

    /// Starts a follow-up of a failed or cancelled execution from its stored trigger. All its nodes run
    /// again, and attempts are counted from 1.
    ///
    /// # Errors
    /// The execution does not exist, is running or completed, already has a follow-up, or the database
    /// failed.
    pub async fn retry(&self, id: ExecutionId, by: &Actor) -> Result<ExecutionId> {
        for _ in 0..MAX_CONFLICT_RETRIES {
            let mut planned = self.unsuccessful(id, "retry").await?;
            let next = self.immediate_follow_up(&planned).await?;
            let new = next.id;
            let entry = entry(by, "execution.retry", id).detail(json!({ "next": new }));
            planned.plan.step.audit = Some(entry);
            planned.plan.step.follow_up = Some(Box::new(next));
            if self.apply_steps(vec![planned]).await?.changed.is_empty() {
                return Ok(new);
            }
        }
        Err(too_many_conflicts(id))
    }

    async fn state(&self, id: ExecutionId) -> Result<ExecutionState> {
        let state = self.store.execution_states(&[id]).await?.pop();
        Ok(state.ok_or(ExecutionError::NotFound(id))?)
    }

    /// The plan of an execution whose end is not recorded yet. `None` if its workflow cannot be parsed.
    async fn unrecorded_end(&self, state: &ExecutionState) -> Result<Option<PlannedExecution>> {
        match self.definitions.get(&self.store, state.workflow).await {
            Ok(workflow) => {
                let plan = plan::plan(state, &workflow);
                let has_ended = plan.step.ending.is_some();
                Ok(has_ended.then(|| PlannedExecution { state: state.clone(), workflow, plan }))
            }
            Err(StoreError::Execution(
                ExecutionError::Unreadable { .. } | ExecutionError::NoWorkflow(_),
            )) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn plan_one(&self, id: ExecutionId) -> Result<PlannedExecution> {
        let state = self.state(id).await?;
        let workflow = self.definitions.get(&self.store, state.workflow).await?;
        let plan = plan::plan(&state, &workflow);
        Ok(PlannedExecution { state, workflow, plan })
    }

    /// A failed or cancelled execution without a follow-up.
    async fn unsuccessful(
        &self,
        id: ExecutionId,
        action: &'static str,
    ) -> Result<PlannedExecution> {
        let planned = self.plan_one(id).await?;
        if !matches!(planned.state.status, ExecutionStatus::Failed | ExecutionStatus::Cancelled) {
            return Err(wrong_status(&planned.state, action));
        }
        if let Some(next) = planned.state.next {
            return Err(ExecutionError::Followed { id, next }.into());
        }
        Ok(planned)
    }
}

fn entry(by: &Actor, action: &str, id: ExecutionId) -> AuditEntry {
    AuditEntry::new(by.clone(), action).target(id)
}

fn wrong_status(state: &ExecutionState, action: &'static str) -> StoreError {
    ExecutionError::WrongStatus { id: state.id, status: state.status, action }.into()
}

fn too_many_conflicts(id: ExecutionId) -> StoreError {
    let problem = "it was changed concurrently too many times; try again".to_owned();
    ExecutionError::Damaged { id, problem }.into()
}
