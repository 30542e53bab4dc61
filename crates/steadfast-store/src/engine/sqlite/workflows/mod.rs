//! Executions of workflows: what is kept of them, and how they take their steps.

mod cancel;
mod prune;
mod read;
mod start;
mod steps;

use std::time::Duration;

use async_trait::async_trait;

use super::audit;
use super::row::{Hex, before};
use super::{Sqlite, now};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::engine::workflows::Executions;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::maintenance::retention::Retention;
use crate::page::{Page, PageRequest};
use crate::queue::submit::Admission;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MissedCompletion, NewExecution,
    NodeValue, OrphanedNodes, Started, Step, StoredExecution, ValuesWanted, WorkflowDefinition,
};

const WORKFLOW_NUMBER: &str = include_str!("../sql/execution_workflow_number.sql");

/// An execution's id as JSON has it.
fn hex(id: ExecutionId) -> Hex {
    Hex(TaskId::from(id.uuid()))
}

#[async_trait]
impl Executions for Sqlite {
    async fn keep_workflow(&self, name: &str, text: &str, by: Option<&Actor>) -> Result<i64> {
        let (name, text, by) = (name.to_owned(), text.to_owned(), by.cloned());
        let kept = self.writer.run(move |connection, now| {
            Box::pin(async move {
                let number = sqlx::query_scalar(WORKFLOW_NUMBER).bind(name).bind(text).bind(now);
                let number = number.fetch_one(&mut *connection).await?;
                if let Some(by) = by {
                    let entry = AuditEntry::workflow_saved(&by, number);
                    audit::audit(connection, &entry, now).await?;
                }
                Ok(number)
            })
        });
        kept.await
    }

    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>> {
        self.look(move |connection| Box::pin(read::workflow(connection, number))).await
    }

    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        let page = page.clone();
        let found = self.look(move |connection| {
            Box::pin(async move { read::workflows(connection, &page).await })
        });
        found.await
    }

    async fn start(&self, new: Vec<NewExecution<Admission>>) -> Result<Vec<Started>> {
        let names = self.names.clone();
        let started = self.writer.run(move |connection, now| {
            Box::pin(async move { start::start(connection, &new, now, &names).await })
        });
        let (answers, news) = started.await?;
        news.tell(&self.wakes);
        Ok(answers)
    }

    async fn take(&self, steps: Vec<Step<Admission>>) -> Result<Vec<bool>> {
        let names = self.names.clone();
        let taken = self.writer.run(move |connection, now| {
            Box::pin(async move { steps::take(connection, steps, now, &names).await })
        });
        let (answers, news) = taken.await?;
        news.tell(&self.wakes);
        Ok(answers)
    }

    async fn call_off(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        by: &Actor,
    ) -> Result<Vec<TaskId>> {
        let (tasks, by) = (tasks.to_vec(), by.clone());
        let called_off = self.writer.run(move |connection, now| {
            Box::pin(async move { cancel::call_off(connection, &tasks, &by, now).await })
        });
        let called_off = called_off.await?;
        let told = called_off.iter().filter(|task| task.was_running);
        told.for_each(|task| self.wakes.tell(Wake::Cancelled(task.id)));
        Ok(called_off.into_iter().map(|task| task.id).collect())
    }

    async fn states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        let ids = ids.to_vec();
        let states = self
            .look(move |connection| Box::pin(async move { read::states(connection, &ids).await }));
        states.await
    }

    async fn values(&self, wanted: &[ValuesWanted], most: u64) -> Result<Option<Vec<NodeValue>>> {
        let wanted = wanted.to_vec();
        let values = self.look(move |connection| {
            Box::pin(async move { read::values(connection, &wanted, most).await })
        });
        values.await
    }

    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        let tasks = tasks.to_vec();
        let found = self.look(move |connection| {
            Box::pin(async move { read::failures(connection, &tasks).await })
        });
        found.await
    }

    async fn of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        let tasks = tasks.to_vec();
        let found = self.look(move |connection| {
            Box::pin(async move { read::of_tasks(connection, &tasks).await })
        });
        found.await
    }

    async fn ended_within(&self, within: Duration, limit: u32) -> Result<MissedCompletion> {
        let found = self.look(move |connection| {
            Box::pin(async move {
                let since = before(now(connection).await?, within);
                read::ended_since(connection, since, limit).await
            })
        });
        found.await
    }

    async fn strays(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes> {
        self.look(move |connection| Box::pin(read::strays(connection, after, limit))).await
    }

    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>> {
        self.look(move |connection| Box::pin(read::execution(connection, id))).await
    }

    async fn list(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        let (filter, page) = (filter.clone(), page.clone());
        let found = self.look(move |connection| {
            Box::pin(async move { read::list(connection, &filter, &page).await })
        });
        found.await
    }

    async fn chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        self.look(move |connection| Box::pin(read::chain(connection, id))).await
    }

    async fn prune_executions(&self, retention: &Retention) -> Result<u64> {
        let kept = retention.clone();
        let old = self.look(move |connection| {
            Box::pin(async move {
                let now = now(connection).await?;
                prune::find(connection, &kept, now).await
            })
        });
        let old = old.await?;
        if retention.dry_run || old.is_empty() {
            return Ok(old.len() as u64);
        }
        let kept = retention.clone();
        let pruned = self.writer.run(move |connection, now| {
            Box::pin(async move { prune::forget(connection, &kept, now).await })
        });
        pruned.await
    }
}
