//! Cancellation of tasks that a finished execution left over.
//!
//! The transaction that cancels the tasks checks that the execution has ended, and locks it:
//! it may have been resumed since its tasks were found. A task that changes its state in between
//! is not tried again. It is still left over, and the next sweep finds it.

use std::collections::HashSet;

use sqlx::PgConnection;
use uuid::Uuid;

use super::super::control::{REMOVE_RUNNING, end_cancelled};
use super::super::{Postgres, audit};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::task::TaskId;
use crate::workflow::ExecutionId;

/// The finished executions among these, locked so that they cannot be resumed.
const LOCK_ENDED: &str = "SELECT x.id FROM steadfast.executions x \
     WHERE x.id = ANY ($1::uuid[]) AND x.status <> 'running' ORDER BY x.id FOR NO KEY UPDATE";
/// The leases of some tasks, locked in their order to avoid deadlocks.
const LOCK_LEASES: &str =
    "SELECT FROM steadfast.leases WHERE tasks && $1::uuid[] ORDER BY version FOR UPDATE";

pub(super) async fn cancel_leftover_tasks(
    engine: &Postgres,
    tasks: &[(ExecutionId, Vec<TaskId>)],
    actor: &Actor,
) -> Result<Vec<TaskId>> {
    let mut transaction = engine.pool.begin().await?;
    let leftover = leftover_tasks(&mut transaction, tasks).await?;
    if leftover.is_empty() {
        return Ok(Vec::new());
    }
    let queued: Vec<Uuid> = sqlx::query_scalar(include_str!("../sql/execution_remove_queued.sql"))
        .bind(&leftover)
        .fetch_all(&mut *transaction)
        .await?;
    let was_queued: HashSet<Uuid> = queued.iter().copied().collect();
    let others: Vec<Uuid> = leftover.into_iter().filter(|id| !was_queued.contains(id)).collect();
    let running = remove_running(&mut transaction, &others).await?;
    let cancelled: Vec<Uuid> = queued.iter().chain(&running).copied().collect();
    end_cancelled(&mut transaction, &cancelled).await?;
    let cancelled: Vec<TaskId> = cancelled.into_iter().map(TaskId::from).collect();
    let entry = |id: &TaskId| AuditEntry::new(actor.clone(), "task.cancel").target(id);
    let entries: Vec<_> = cancelled.iter().map(entry).collect();
    audit::audit(&mut transaction, &entries).await?;
    transaction.commit().await?;
    running.into_iter().for_each(|id| engine.notifier.notify(Wake::Cancelled(id.into())));
    Ok(cancelled)
}

/// The tasks of the executions that have ended, which are locked until the end of the transaction.
async fn leftover_tasks(
    connection: &mut PgConnection,
    tasks: &[(ExecutionId, Vec<TaskId>)],
) -> Result<Vec<Uuid>> {
    let executions: Vec<Uuid> = tasks.iter().map(|(execution, _)| execution.uuid()).collect();
    let ended: Vec<Uuid> =
        sqlx::query_scalar(LOCK_ENDED).bind(executions).fetch_all(connection).await?;
    let ended: HashSet<Uuid> = ended.into_iter().collect();
    let leftover = tasks.iter().filter(|(execution, _)| ended.contains(&execution.uuid()));
    Ok(leftover.flat_map(|(_, tasks)| tasks.iter().map(|task| task.uuid())).collect())
}

async fn remove_running(connection: &mut PgConnection, tasks: &[Uuid]) -> Result<Vec<Uuid>> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query(LOCK_LEASES).bind(tasks).execute(&mut *connection).await?;
    let mut removed = Vec::new();
    for task in tasks {
        let found: Option<Uuid> =
            sqlx::query_scalar(REMOVE_RUNNING).bind(task).fetch_optional(&mut *connection).await?;
        removed.extend(found);
    }
    Ok(removed)
}
