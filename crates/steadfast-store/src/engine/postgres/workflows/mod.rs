//! Workflows and their executions.

mod cancel;
mod step;

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{Postgres, audit, history};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::engine::Workflows;
use crate::engine::row::{EngineRow, signed};
use crate::engine::time::micros;
use crate::engine::workflows::{
    definition, execution_state, execution_with_nodes, executions_page, executions_statement,
    failure, missed_completions, node_values, orphaned_nodes, outcome, stored_execution,
};
use crate::error::Result;
use crate::page::{Page, PageRequest};
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;
use crate::workflow::{
    ExecutionFilter, ExecutionId, ExecutionState, Failure, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES,
    MissedCompletion, NewExecution, NodeState, NodeValue, OrphanedNodes, Started, Step,
    StoredExecution, ValuesWanted, WorkflowDefinition,
};

const SAVE_WORKFLOW: &str = "INSERT INTO steadfast.workflows (digest, name, body) \
     VALUES (sha256(convert_to($2, 'UTF8')), $1, $2) \
     ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING id";
const EXECUTIONS_OF_TASKS: &str = "SELECT DISTINCT n.execution FROM unnest($1::uuid[]) AS g (task) \
     JOIN steadfast.nodes n ON n.task = g.task AND n.status = 'submitted'";

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
        let find =
            "SELECT id AS number, name, body, kept_at FROM steadfast.workflows WHERE id = $1";
        let find = sqlx::query(find).bind(number).fetch_optional(&self.pool);
        self.deadline.short(async { find.await?.as_ref().map(definition).transpose() }).await
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
        self.deadline.short(step::start_executions(self, new)).await
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

    /// The nodes are read after their execution: a step that is applied in between makes the
    /// version stale, and so the next step is rejected.
    async fn execution_states(&self, ids: &[ExecutionId]) -> Result<Vec<ExecutionState>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let read = async {
            let mut connection = self.pool.acquire().await?;
            let executions = sqlx::query(include_str!("../sql/execution_states.sql")).bind(&ids);
            let executions = executions.fetch_all(&mut *connection).await?;
            let nodes = sqlx::query(include_str!("../sql/execution_node_states.sql")).bind(&ids);
            Ok((executions, nodes.fetch_all(&mut *connection).await?))
        };
        let (executions, nodes) = self.deadline.short(read).await?;
        let mut by_execution: HashMap<ExecutionId, Vec<NodeState>> = HashMap::new();
        for row in &nodes {
            by_execution.entry(row.id("execution")?).or_default().push(node_state(row)?);
        }
        by_execution.values_mut().for_each(|nodes| nodes.sort_unstable_by_key(|node| node.number));
        let state = |row: &PgRow| {
            execution_state(row, by_execution.remove(&row.id("id")?).unwrap_or_default())
        };
        executions.iter().map(state).collect()
    }

    async fn execution_values(
        &self,
        wanted: &[ValuesWanted],
        max_bytes: u64,
    ) -> Result<Option<Vec<NodeValue>>> {
        let triggers = wanted.iter().filter(|one| one.trigger).map(|one| one.execution.uuid());
        let nodes = wanted.iter().flat_map(|one| {
            one.nodes.iter().map(|node| (one.execution.uuid(), node.cast_signed()))
        });
        let (executions, numbers): (Vec<Uuid>, Vec<i16>) = nodes.unzip();
        let rows = sqlx::query(include_str!("../sql/execution_values.sql"))
            .bind(triggers.collect::<Vec<_>>())
            .bind(executions)
            .bind(numbers)
            .bind(signed(max_bytes));
        node_values(&self.rows(rows).await?, max_bytes)
    }

    async fn failures(&self, tasks: &[TaskId]) -> Result<Vec<Failure>> {
        let tasks: Vec<Uuid> = tasks.iter().map(|task| task.uuid()).collect();
        let rows = sqlx::query(include_str!("../sql/execution_failures.sql")).bind(tasks);
        let rows = self.rows(rows).await?;
        rows.iter().map(|row| failure(row, history::last_fault(row)?)).collect()
    }

    async fn executions_of_tasks(&self, tasks: &[TaskId]) -> Result<Vec<ExecutionId>> {
        let tasks: Vec<Uuid> = tasks.iter().map(|task| task.uuid()).collect();
        let rows = self.rows(sqlx::query(EXECUTIONS_OF_TASKS).bind(tasks)).await?;
        rows.iter().map(|row| Ok(row.id("execution")?)).collect()
    }

    async fn missed_completions(&self, within: Duration, limit: u32) -> Result<MissedCompletion> {
        let found = sqlx::query_scalar(include_str!("../sql/execution_missed_completions.sql"))
            .bind(micros(within))
            .bind(i64::from(limit));
        let found = async { Ok(found.fetch_all(&self.pool).await?) };
        Ok(missed_completions(self.deadline.short(found).await?, limit))
    }

    async fn orphaned_nodes(&self, after: Option<TaskId>, limit: u32) -> Result<OrphanedNodes> {
        let rows = sqlx::query(include_str!("../sql/execution_orphaned_nodes.sql"))
            .bind(after.map_or(Uuid::nil(), TaskId::uuid))
            .bind(i64::from(limit));
        orphaned_nodes(&self.rows(rows).await?, limit)
    }

    async fn execution(&self, id: ExecutionId) -> Result<Option<StoredExecution>> {
        let read = async {
            loop {
                let row = sqlx::query(include_str!("../sql/execution.sql")).bind(id.uuid());
                let Some(row) = row.fetch_optional(&self.pool).await? else { return Ok(None) };
                let nodes = sqlx::query(include_str!("../sql/execution_nodes.sql"))
                    .bind(id.uuid())
                    .bind(MAX_SHOWN_BYTES.cast_signed());
                let nodes = nodes.fetch_all(&self.pool).await?;
                let execution = execution_with_nodes(&row, &nodes)?;
                if execution.is_some() {
                    return Ok(execution);
                }
            }
        };
        self.deadline.short(read).await
    }

    async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<StoredExecution>> {
        let select = include_str!("../sql/executions.sql");
        let mut statement = executions_statement(select, filter, page)?;
        let rows = async { Ok(statement.build().fetch_all(&self.pool).await?) };
        executions_page(&self.deadline.long(rows).await?, page)
    }

    async fn execution_chain(&self, id: ExecutionId) -> Result<Vec<StoredExecution>> {
        let chain = sqlx::query(include_str!("../sql/execution_chain.sql"))
            .bind(id.uuid())
            .bind(MAX_CHAIN_LENGTH);
        self.rows(chain).await?.iter().map(stored_execution).collect()
    }
}

fn node_state(row: &PgRow) -> Result<NodeState> {
    Ok(NodeState {
        number: row.get::<i16>("number")?.unsigned_abs(),
        status: row.parsed("status")?,
        task: row.maybe_id("task")?,
        outcome: outcome(row.text("outcome")?)?,
    })
}
