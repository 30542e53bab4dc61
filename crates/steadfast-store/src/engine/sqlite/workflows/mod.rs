//! Workflows and their executions.

mod cancel;
mod read;
mod start;
mod step;

use std::time::Duration;

use async_trait::async_trait;

use super::row::{Hex, before};
use super::{Sqlite, audit, now};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::engine::Workflows;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::page::{Page, PageRequest};
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeValue, OrphanedNodes, Started, Step, StoredExecution, ValuesWanted, WorkflowDefinition,
};

const SAVE_WORKFLOW: &str = "INSERT INTO steadfast_workflows (name, body, kept_at) \
     VALUES (?1, ?2, ?3) ON CONFLICT (body) DO UPDATE SET body = excluded.body RETURNING number";

/// An execution's id in JSON.
fn hex(id: ExecutionId) -> Hex {
    Hex(TaskId::from(id.uuid()))
}

#[async_trait]
impl Workflows for Sqlite {
    async fn save_workflow(&self, name: &str, text: &str, actor: Option<&Actor>) -> Result<i64> {
        let (name, text, actor) = (name.to_owned(), text.to_owned(), actor.cloned());
        let saved = self.writer.run(move |connection, now| {
            Box::pin(async move {
                let number = sqlx::query_scalar(SAVE_WORKFLOW).bind(name).bind(text).bind(now);
                let number = number.fetch_one(&mut *connection).await?;
                if let Some(actor) = actor {
                    let entry = AuditEntry::workflow_saved(&actor, number);
                    audit::audit(connection, &[entry], now).await?;
                }
                Ok(number)
            })
        });
        saved.await
    }

    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>> {
        self.read(move |connection| Box::pin(read::workflow(connection, number))).await
    }

    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        let page = page.clone();
        let found = self.read(move |connection| {
            Box::pin(async move { read::workflows(connection, &page).await })
        });
        found.await
    }

    async fn start_executions(&self, new: Vec<NewExecution<CheckedTask>>) -> Result<Vec<Started>> {
        let names = self.names.clone();
        let started = self.writer.run(move |connection, now| {
            Box::pin(async move { start::start_executions(connection, &new, now, &names).await })
        });
        let (answers, wakes) = started.await?;
        self.notify_all(wakes);
        Ok(answers)
    }

    async fn apply_steps(&self, steps: Vec<Step<CheckedTask>>) -> Result<Vec<bool>> {
        let names = self.names.clone();
        let applied = self.writer.run(move |connection, now| {
            Box::pin(async move { step::apply_steps(connection, steps, now, &names).await })
        });
        let (answers, wakes) = applied.await?;
        self.notify_all(wakes);
        Ok(answers)
    }

    async fn cancel_leftover_tasks(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        actor: &Actor,
    ) -> Result<Vec<TaskId>> {
        let (tasks, actor) = (tasks.to_vec(), actor.clone());
        let cancelled = self.writer.run(move |connection, now| {
            Box::pin(
                async move { cancel::cancel_leftover_tasks(connection, &tasks, &actor, now).await },
            )
        });
        let cancelled = cancelled.await?;
        let running = cancelled.iter().filter(|task| task.was_running);
        running.for_each(|task| self.notifier.notify(Wake::Cancelled(task.id)));
        Ok(cancelled.into_iter().map(|task| task.id).collect())
    }

    async fn execution_states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        let ids = ids.to_vec();
        let states = self.read(move |connection| {
            Box::pin(async move { read::execution_states(connection, &ids).await })
        });
        states.await
    }

    async fn execution_values(
        &self,
        wanted: &[ValuesWanted],
        max_bytes: u64,
    ) -> Result<Option<Vec<NodeValue>>> {
        let wanted = wanted.to_vec();
        let values = self.read(move |connection| {
            Box::pin(async move { read::execution_values(connection, &wanted, max_bytes).await })
        });
        values.await
    }

    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        let tasks = tasks.to_vec();
        let found = self.read(move |connection| {
            Box::pin(async move { read::failures(connection, &tasks).await })
        });
        found.await
    }

    async fn executions_of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        let tasks = tasks.to_vec();
        let found = self.read(move |connection| {
            Box::pin(async move { read::executions_of_tasks(connection, &tasks).await })
        });
        found.await
    }

    async fn missed_completions(&self, within: Duration, limit: u32) -> Result<MissedCompletion> {
        let found = self.read(move |connection| {
            Box::pin(async move {
                let since = before(now(connection).await?, within);
                read::missed_completions(connection, since, limit).await
            })
        });
        found.await
    }

    async fn orphaned_nodes(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes> {
        self.read(move |connection| Box::pin(read::orphaned_nodes(connection, after, limit))).await
    }

    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>> {
        self.read(move |connection| Box::pin(read::execution(connection, id))).await
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        let (filter, page) = (filter.clone(), page.clone());
        let found = self.read(move |connection| {
            Box::pin(async move { read::executions(connection, &filter, &page).await })
        });
        found.await
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        self.read(move |connection| Box::pin(read::execution_chain(connection, id))).await
    }
}
