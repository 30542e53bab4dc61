//! What people do to executions. Each is a step like any other, with its line in the audit log.

use serde_json::json;
use steadfast_store::{
    Actor, AuditEntry, Ending, ExecutionError, ExecutionId, ExecutionState, ExecutionStatus,
    Result, StoreError,
};

use crate::advance::Planned;
use crate::flow::Flow;
use crate::plan;

/// How often an execution is read again that others were faster with.
const LOOKS: usize = 50;

impl Flow {
    /// Calls an execution off: what is under way of it is called off, and nothing more begins.
    ///
    /// # Errors
    /// There is none, it has ended, or the database failed.
    pub async fn cancel(&self, id: ExecutionId, by: &Actor) -> Result<()> {
        for _ in 0..LOOKS {
            let state = self.state(id).await?;
            if state.status != ExecutionStatus::Running {
                return Err(wrong(&state, "cancelled"));
            }
            // It may have ended, and nobody has noticed yet.
            if let Some(planned) = self.over(&state).await? {
                self.take(vec![planned]).await?;
                continue;
            }
            let ending = Some(Ending::plain(ExecutionStatus::Cancelled));
            let audit = Some(entry(by, "execution.cancel", id));
            if self.end(&state, ending, audit, by).await? {
                self.advance_all(&[id]).await;
                return Ok(());
            }
        }
        Err(restless(id))
    }

    /// Has an execution that failed or was cancelled go on from the nodes that did not complete.
    /// Those that did are not run again (W2).
    ///
    /// # Errors
    /// There is none, it is running or completed, another has followed it, or the database
    /// failed.
    pub async fn resume(&self, id: ExecutionId, by: &Actor) -> Result<()> {
        for _ in 0..LOOKS {
            let mut planned = self.ended_badly(id, "resumed").await?;
            planned.plan = plan::resume(&planned.state, &planned.workflow);
            planned.plan.step.audit = Some(entry(by, "execution.resume", id));
            let again = self.take(vec![planned]).await?;
            if again.changed.is_empty() {
                self.advance_all(&again.put_off).await;
                return Ok(());
            }
        }
        Err(restless(id))
    }

    /// Starts an execution that follows one that failed or was cancelled, from its saved trigger.
    /// All of its nodes run again, and tries are counted anew.
    ///
    /// # Errors
    /// There is none, it is running or completed, another has followed it, or the database
    /// failed.
    pub async fn retry(&self, id: ExecutionId, by: &Actor) -> Result<ExecutionId> {
        for _ in 0..LOOKS {
            let mut planned = self.ended_badly(id, "retried").await?;
            let next = self.follower(&planned).await?;
            let new = next.id;
            let entry = entry(by, "execution.retry", id).detail(json!({ "next": new }));
            planned.plan.step.audit = Some(entry);
            planned.plan.step.follow_up = Some(Box::new(next));
            if self.take(vec![planned]).await?.changed.is_empty() {
                return Ok(new);
            }
        }
        Err(restless(id))
    }

    async fn state(&self, id: ExecutionId) -> Result<ExecutionState> {
        let state = self.store.execution_states(&[id]).await?.pop();
        Ok(state.ok_or(ExecutionError::NotFound(id))?)
    }

    /// An execution whose end nobody has noticed. One whose workflow cannot be read has none.
    async fn over(&self, state: &ExecutionState) -> Result<Option<Planned>> {
        match self.known.get(&self.store, state.workflow).await {
            Ok(workflow) => {
                let plan = plan::plan(state, &workflow);
                let is_over = plan.step.ending.is_some();
                Ok(is_over.then(|| Planned { state: state.clone(), workflow, plan }))
            }
            Err(StoreError::Execution(
                ExecutionError::Unreadable { .. } | ExecutionError::NoWorkflow(_),
            )) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn look(&self, id: ExecutionId) -> Result<Planned> {
        let state = self.state(id).await?;
        let workflow = self.known.get(&self.store, state.workflow).await?;
        let plan = plan::plan(&state, &workflow);
        Ok(Planned { state, workflow, plan })
    }

    /// One that failed or was cancelled, and that nothing follows.
    async fn ended_badly(&self, id: ExecutionId, wanted: &'static str) -> Result<Planned> {
        let planned = self.look(id).await?;
        if !matches!(planned.state.status, ExecutionStatus::Failed | ExecutionStatus::Cancelled) {
            return Err(wrong(&planned.state, wanted));
        }
        if planned.state.is_followed {
            return Err(ExecutionError::Followed { id, wanted }.into());
        }
        Ok(planned)
    }
}

fn entry(by: &Actor, action: &str, id: ExecutionId) -> AuditEntry {
    AuditEntry::new(by.clone(), action).target(id)
}

fn wrong(state: &ExecutionState, wanted: &'static str) -> StoreError {
    ExecutionError::WrongStatus { id: state.id, status: state.status, wanted }.into()
}

/// It changed every time it was looked at.
fn restless(id: ExecutionId) -> StoreError {
    let problem = "it changed each time it was looked at; try again".to_owned();
    ExecutionError::Damaged { id, problem }.into()
}
