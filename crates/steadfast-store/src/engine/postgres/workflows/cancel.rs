//! Calling off what an execution that has ended left behind.
//!
//! Whether it has ended is asked in the transaction that calls its tasks off, and it is locked:
//! somebody may have it go on again since they were found to be left. A task that moves in this
//! moment is not looked for again. It is still left, and whoever sweeps finds it.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use super::super::{Postgres, audit};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::task::TaskId;
use crate::workflow::ExecutionId;

const OVER: &str = include_str!("../sql/execution_over.sql");
const OFF_LINE: &str = include_str!("../sql/execution_tasks_off_line.sql");
const LEASES: &str = include_str!("../sql/execution_tasks_leases.sql");
const FROM_LEASE: &str = include_str!("../sql/take_from_lease.sql");
const CANCEL: &str = include_str!("../sql/execution_tasks_cancel.sql");

impl Postgres {
    pub(super) async fn call_off_tasks(
        &self,
        tasks: &[(ExecutionId, Vec<TaskId>)],
        by: &Actor,
    ) -> Result<Vec<TaskId>> {
        let mut transaction = self.pool.begin().await?;
        let left = left_behind(&mut transaction, tasks).await?;
        if left.is_empty() {
            return Ok(Vec::new());
        }
        let waited: Vec<Uuid> =
            sqlx::query_scalar(OFF_LINE).bind(&left).fetch_all(&mut *transaction).await?;
        let waiting: HashSet<Uuid> = waited.iter().copied().collect();
        let others: Vec<Uuid> = left.into_iter().filter(|id| !waiting.contains(id)).collect();
        let ran = from_leases(&mut transaction, &others).await?;
        let called_off: Vec<Uuid> = waited.iter().chain(&ran).copied().collect();
        sqlx::query(CANCEL).bind(&called_off).execute(&mut *transaction).await?;
        let called_off: Vec<TaskId> = called_off.into_iter().map(TaskId::from).collect();
        let entry = |id: &TaskId| AuditEntry::new(by.clone(), "task.cancel").target(id);
        let entries: Vec<_> = called_off.iter().map(entry).collect();
        audit::audit_all(&mut transaction, &entries).await?;
        transaction.commit().await?;
        ran.into_iter().for_each(|id| self.announcer.tell(Wake::Cancelled(id.into())));
        Ok(called_off)
    }
}

/// The tasks of those executions that have ended, which stay so until the end of the transaction.
async fn left_behind(
    connection: &mut PgConnection,
    tasks: &[(ExecutionId, Vec<TaskId>)],
) -> Result<Vec<Uuid>> {
    let executions: Vec<Uuid> = tasks.iter().map(|(execution, _)| execution.uuid()).collect();
    let over: Vec<Uuid> = sqlx::query_scalar(OVER).bind(executions).fetch_all(connection).await?;
    let over: HashSet<Uuid> = over.into_iter().collect();
    let left = tasks.iter().filter(|(execution, _)| over.contains(&execution.uuid()));
    Ok(left.flat_map(|(_, tasks)| tasks.iter().map(|task| task.uuid())).collect())
}

/// Takes running tasks from whoever has them. Their leases are locked first, in their order, so
/// that nobody waits crosswise.
async fn from_leases(connection: &mut PgConnection, tasks: &[Uuid]) -> Result<Vec<Uuid>> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query(LEASES).bind(tasks).execute(&mut *connection).await?;
    let mut taken = Vec::new();
    for task in tasks {
        let found: Option<Uuid> =
            sqlx::query_scalar(FROM_LEASE).bind(task).fetch_optional(&mut *connection).await?;
        taken.extend(found);
    }
    Ok(taken)
}
