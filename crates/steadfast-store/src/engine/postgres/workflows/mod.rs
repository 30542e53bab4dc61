//! Executions of workflows: what is kept of them, and how they take their steps.

mod cancel;
mod read;
mod start;
mod steps;

use std::time::Duration;

use async_trait::async_trait;

use super::Postgres;
use super::audit;
use super::time::micros;
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::engine::workflows::Executions;
use crate::error::Result;
use crate::maintenance::retention::Retention;
use crate::page::{Page, PageRequest};
use crate::queue::submit::Admission;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeValue, OrphanedNodes, Started, Step, StoredExecution, ValuesWanted, WorkflowDefinition,
};

const WORKFLOW_NUMBER: &str = include_str!("../sql/execution_workflow_number.sql");
const PRUNE: &str = include_str!("../sql/execution_prune.sql");
const PRUNE_WOULD: &str = include_str!("../sql/execution_prune_would.sql");

#[async_trait]
impl Executions for Postgres {
    async fn keep_workflow(&self, name: &str, text: &str, by: Option<&Actor>) -> Result<i64> {
        self.deadline.few(self.number_workflow(name, text, by)).await
    }

    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>> {
        self.deadline.few(read::workflow(&self.pool, number)).await
    }

    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        self.deadline.few(read::workflows(&self.pool, page)).await
    }

    async fn start(&self, new: Vec<NewExecution<Admission>>) -> Result<Vec<Started>> {
        self.deadline.few(self.start_executions(new)).await
    }

    async fn take(&self, steps: Vec<Step<Admission>>) -> Result<Vec<bool>> {
        self.deadline.few(self.take_steps(steps)).await
    }

    async fn call_off(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        by: &Actor,
    ) -> Result<Vec<TaskId>> {
        self.deadline.few(self.call_off_tasks(tasks, by)).await
    }

    async fn states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        self.deadline.few(read::states(&self.pool, ids)).await
    }

    async fn values(&self, wanted: &[ValuesWanted], most: u64) -> Result<Option<Vec<NodeValue>>> {
        self.deadline.few(read::values(&self.pool, wanted, most)).await
    }

    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        self.deadline.few(read::failures(&self.pool, tasks)).await
    }

    async fn of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        self.deadline.few(read::of_tasks(&self.pool, tasks)).await
    }

    async fn ended_within(&self, within: Duration, limit: u32) -> Result<MissedCompletion> {
        self.deadline.few(read::ended_within(&self.pool, within, limit)).await
    }

    async fn strays(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes> {
        self.deadline.few(read::strays(&self.pool, after, limit)).await
    }

    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>> {
        self.deadline.few(read::execution(&self.pool, id)).await
    }

    async fn list(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        self.deadline.many(read::list(&self.pool, filter, page)).await
    }

    async fn chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        self.deadline.few(read::chain(&self.pool, id)).await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        self.deadline.many(self.forget_executions(retention)).await
    }
}

impl Postgres {
    async fn number_workflow(&self, name: &str, text: &str, by: Option<&Actor>) -> Result<i64> {
        let mut transaction = self.pool.begin().await?;
        let number = sqlx::query_scalar(WORKFLOW_NUMBER).bind(name).bind(text);
        let number = number.fetch_one(&mut *transaction).await?;
        if let Some(by) = by {
            audit::audit(&mut transaction, &AuditEntry::workflow_saved(by, number)).await?;
        }
        transaction.commit().await?;
        Ok(number)
    }

    async fn forget_executions(&self, retention: &Retention) -> Result<u64> {
        let completed = retention.completed_for.map(micros);
        let failed = retention.failed_for.map(micros);
        let most = retention.ended_at_most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
        if retention.dry_run {
            let count = sqlx::query_scalar(PRUNE_WOULD).bind(completed).bind(failed).bind(most);
            let count: i64 = count.fetch_one(&self.pool).await?;
            return Ok(count.unsigned_abs());
        }
        let prune = sqlx::query(PRUNE).bind(completed).bind(failed).bind(most);
        let pruned = prune.bind(i64::from(retention.at_a_time)).execute(&self.pool).await?;
        Ok(pruned.rows_affected())
    }
}
