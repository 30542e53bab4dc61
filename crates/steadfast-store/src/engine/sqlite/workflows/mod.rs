//! Workflows and their executions.

mod cancel;
mod step;

use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use uuid::Uuid;

use super::row::{Hex, before, decode, encode, ids};
use super::writer::job;
use super::{Sqlite, audit, history, now};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::engine::Workflows;
use crate::engine::row::{EngineRow, signed};
use crate::engine::workflows::{
    definition, execution_state, execution_with_nodes, executions_page, executions_statement,
    failure, missed_completions, node_values, orphaned_nodes, outcome, stored_execution,
};
use crate::error::Result;
use crate::page::{Page, PageRequest};
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;
use crate::task::decode_error::DecodeErrors;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES,
    MissedCompletion, NewExecution, NodeState, NodeValue, OrphanedNodes, Started, Step,
    StoredExecution, ValuesWanted, WorkflowDefinition,
};

const SAVE_WORKFLOW: &str = "INSERT INTO steadfast_workflows (name, body, kept_at) \
     VALUES (?1, ?2, ?3) ON CONFLICT (body) DO UPDATE SET body = excluded.body RETURNING number";
const EXECUTIONS_OF_TASKS: &str = "SELECT DISTINCT node.execution FROM json_each(?1) AS wanted \
     CROSS JOIN steadfast_nodes AS node INDEXED BY steadfast_nodes_submitted \
     ON node.task = unhex(wanted.value) AND node.status = 'submitted'";

fn hex(id: ExecutionId) -> Hex {
    Hex(TaskId::from(id.uuid()))
}

#[async_trait]
impl Workflows for Sqlite {
    async fn save_workflow(&self, name: &str, text: &str, actor: Option<&Actor>) -> Result<i64> {
        let (name, text, actor) = (name.to_owned(), text.to_owned(), actor.cloned());
        let save = job!(|connection, now| {
            let number = sqlx::query_scalar(SAVE_WORKFLOW).bind(name).bind(text).bind(now);
            let number = number.fetch_one(&mut *connection).await?;
            if let Some(actor) = actor {
                let entry = AuditEntry::workflow_saved(&actor, number);
                audit::audit(connection, &[entry], now).await?;
            }
            Ok(number)
        });
        self.writer.run(save).await
    }

    async fn workflow(&self, number: i64) -> Result<Option<WorkflowDefinition>> {
        let find = "SELECT number, name, body, kept_at FROM steadfast_workflows WHERE number = ?1";
        let rows = self.rows(sqlx::query(find).bind(number)).await?;
        rows.first().map(definition).transpose()
    }

    async fn workflows(&self, page: &PageRequest) -> Result<Page<WorkflowDefinition>> {
        let rows = sqlx::query(include_str!("../sql/workflows.sql"))
            .bind(page.parsed::<i64>()?)
            .bind(i64::from(page.limit) + 1)
            .bind(MAX_SHOWN_BYTES.cast_signed());
        let rows = self.rows(rows).await?;
        let definitions = rows.iter().map(definition).collect::<Result<_>>()?;
        Ok(WorkflowDefinition::page(definitions, page))
    }

    async fn start_executions(&self, new: Vec<NewExecution<CheckedTask>>) -> Result<Vec<Started>> {
        let names = self.names.clone();
        let start =
            job!(|connection, now| step::start_executions(connection, &new, now, &names).await);
        let (answers, wakes) = self.writer.run(start).await?;
        self.notifier.notify_all(wakes);
        Ok(answers)
    }

    async fn apply_steps(&self, steps: Vec<Step<CheckedTask>>) -> Result<Vec<bool>> {
        let names = self.names.clone();
        let apply = job!(|connection, now| step::apply_steps(connection, steps, now, &names).await);
        let (answers, wakes) = self.writer.run(apply).await?;
        self.notifier.notify_all(wakes);
        Ok(answers)
    }

    async fn cancel_leftover_tasks(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        actor: &Actor,
    ) -> Result<Vec<TaskId>> {
        cancel::cancel_leftover_tasks(self, tasks.to_vec(), actor.clone()).await
    }

    async fn execution_states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        let ids: Vec<Hex> = ids.iter().copied().map(hex).collect();
        let states = sqlx::query(include_str!("../sql/execution_states.sql"));
        let rows = self.rows(states.bind(encode(&ids)?)).await?;
        let state = |row: &_| {
            let nodes: Vec<NodeRow<'_>> = decode(EngineRow::text(row, "nodes")?)?;
            execution_state(row, nodes.into_iter().map(node_state).collect::<Result<_>>()?)
        };
        rows.iter().map(state).collect()
    }

    async fn execution_values(
        &self,
        wanted: &[ValuesWanted],
        max_bytes: u64,
    ) -> Result<Option<Vec<NodeValue>>> {
        let triggers = wanted.iter().filter(|one| one.trigger).map(|one| hex(one.execution));
        let nodes =
            wanted.iter().flat_map(|one| one.nodes.iter().map(|node| (hex(one.execution), *node)));
        let rows = sqlx::query(include_str!("../sql/execution_values.sql"))
            .bind(encode(&triggers.collect::<Vec<_>>())?)
            .bind(encode(&nodes.collect::<Vec<_>>())?)
            .bind(signed(max_bytes));
        node_values(&self.rows(rows).await?, max_bytes)
    }

    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        let failures = sqlx::query(include_str!("../sql/execution_failures.sql"));
        let rows = self.rows(failures.bind(ids(tasks.iter().copied())?)).await?;
        // Decode errors are reported where the task itself is read.
        let faults = |row: &_| history::faults(row, row.id("id")?, &mut DecodeErrors::default());
        rows.iter().map(|row| failure(row, faults(row)?)).collect()
    }

    async fn executions_of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        let found = sqlx::query(EXECUTIONS_OF_TASKS).bind(ids(tasks.iter().copied())?);
        let rows = self.rows(found).await?;
        rows.iter().map(|row| Ok(row.id("execution")?)).collect()
    }

    async fn missed_completions(&self, within: Duration, limit: u32) -> Result<MissedCompletion> {
        let mut connection = self.reader().await?;
        let since = before(now(&mut connection).await?, within);
        let found = sqlx::query_scalar(include_str!("../sql/execution_missed_completions.sql"));
        let found = found.bind(since).bind(limit).fetch_all(&mut **connection).await?;
        Ok(missed_completions(found, limit))
    }

    async fn orphaned_nodes(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes> {
        let rows = sqlx::query(include_str!("../sql/execution_orphaned_nodes.sql"))
            .bind(after.map_or(Uuid::nil(), TaskId::uuid))
            .bind(limit);
        orphaned_nodes(&self.rows(rows).await?, limit)
    }

    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>> {
        loop {
            let row = sqlx::query(include_str!("../sql/execution.sql")).bind(id.uuid());
            let rows = self.rows(row).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let nodes = sqlx::query(include_str!("../sql/execution_nodes.sql"))
                .bind(id.uuid())
                .bind(MAX_SHOWN_BYTES.cast_signed());
            let execution = execution_with_nodes(row, &self.rows(nodes).await?)?;
            if execution.is_some() {
                return Ok(execution);
            }
        }
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        let select = include_str!("../sql/executions.sql");
        let mut statement = executions_statement(select, filter, page)?;
        executions_page(&self.rows(statement.build()).await?, page)
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        let chain = sqlx::query(include_str!("../sql/execution_chain.sql"))
            .bind(id.uuid())
            .bind(MAX_CHAIN_LENGTH);
        self.rows(chain).await?.iter().map(stored_execution).collect()
    }
}

/// A node's number, status and task, and the state of the task.
#[derive(Deserialize)]
struct NodeRow<'t>(u16, &'t str, &'t str, &'t str);

fn node_state(NodeRow(number, status, task, state): NodeRow<'_>) -> Result<NodeState> {
    // SQLite encodes a missing id as an empty text.
    let task = if task.is_empty() { None } else { Some(task.parse()?) };
    Ok(NodeState { number, status: status.parse()?, task, outcome: outcome(state)? })
}
