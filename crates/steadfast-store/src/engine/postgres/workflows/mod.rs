//! Workflows and their executions.

mod cancel;
mod read;
mod start;
mod step;

use std::time::Duration;

use async_trait::async_trait;

use super::{Postgres, audit};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::engine::Workflows;
use crate::error::Result;
use crate::page::{Page, PageRequest};
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeValue, OrphanedNodes, Started, Step, StoredExecution, ValuesWanted, WorkflowDefinition,
};

const SAVE_WORKFLOW: &str = "INSERT INTO steadfast.workflows (digest, name, body) \
     VALUES (sha256(convert_to($2, 'UTF8')), $1, $2) \
     ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING id";

#[async_trait]
impl Workflows for Postgres {
    async fn save_workflow(&self, name: &str, text: &str, actor: Option<&Actor>) -> Result<i64> {
        let save = async {
            let mut transaction = self.pool.begin().await?;
            let number = sqlx::query_scalar(SAVE_WORKFLOW).bind(name).bind(text);
            let number = number.fetch_one(&mut *transaction).await?;
            if let Some(actor) = actor {
                let entry = AuditEntry::workflow_saved(actor, number);
                audit::audit(&mut transaction, &[entry]).await?;
            }
            transaction.commit().await?;
            Ok(number)
        };
        self.deadline.short(save).await
    }

    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>> {
        self.deadline.short(read::workflow(&self.pool, number)).await
    }

    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        self.deadline.short(read::workflows(&self.pool, page)).await
    }

    async fn start_executions(&self, new: Vec<NewExecution<CheckedTask>>) -> Result<Vec<Started>> {
        self.deadline.short(start::start_executions(self, new)).await
    }

    async fn apply_steps(&self, steps: Vec<Step<CheckedTask>>) -> Result<Vec<bool>> {
        self.deadline.short(step::apply_steps(self, steps)).await
    }

    async fn cancel_leftover_tasks(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        actor: &Actor,
    ) -> Result<Vec<TaskId>> {
        self.deadline.short(cancel::cancel_leftover_tasks(self, tasks, actor)).await
    }

    async fn execution_states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        self.deadline.short(read::execution_states(&self.pool, ids)).await
    }

    async fn execution_values(
        &self,
        wanted: &[ValuesWanted],
        max_bytes: u64,
    ) -> Result<Option<Vec<NodeValue>>> {
        self.deadline.short(read::execution_values(&self.pool, wanted, max_bytes)).await
    }

    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        self.deadline.short(read::failures(&self.pool, tasks)).await
    }

    async fn executions_of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        self.deadline.short(read::executions_of_tasks(&self.pool, tasks)).await
    }

    async fn missed_completions(&self, within: Duration, limit: u32) -> Result<MissedCompletion> {
        self.deadline.short(read::missed_completions(&self.pool, within, limit)).await
    }

    async fn orphaned_nodes(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes> {
        self.deadline.short(read::orphaned_nodes(&self.pool, after, limit)).await
    }

    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>> {
        self.deadline.short(read::execution(&self.pool, id)).await
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        self.deadline.long(read::executions(&self.pool, filter, page)).await
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        self.deadline.short(read::execution_chain(&self.pool, id)).await
    }
}
