//! Cancellation of tasks that a finished execution left over.

use sqlx::SqliteConnection;

use super::super::row::encode;
use super::super::writer::job;
use super::super::{Sqlite, control};
use super::hex;
use super::step::parse_ids;
use crate::control::Actor;
use crate::error::{Result, StoreError};
use crate::events::notifier::Wake;
use crate::task::TaskId;
use crate::workflow::ExecutionId;

/// The finished executions among these.
const ENDED: &str = "SELECT hex(execution.id) FROM json_each(?1) AS wanted \
     CROSS JOIN steadfast_executions AS execution ON execution.id = unhex(wanted.value) \
     WHERE execution.status <> 'running'";

pub(super) async fn cancel_leftover_tasks(
    engine: &Sqlite,
    tasks: Vec<(ExecutionId, Vec<TaskId>)>,
    actor: Actor,
) -> Result<Vec<TaskId>> {
    let cancel = job!(|connection, now| cancel(connection, &tasks, &actor, now).await);
    let cancelled = engine.writer.run(cancel).await?;
    let running = cancelled.iter().filter(|(_, was_running)| *was_running);
    running.for_each(|(id, _)| engine.notifier.notify(Wake::Cancelled(*id)));
    Ok(cancelled.into_iter().map(|(id, _)| id).collect())
}

/// The transaction that cancels the tasks checks that the execution has ended: it may have been
/// resumed since its tasks were found. Returns the cancelled tasks, and whether each was running.
async fn cancel(
    connection: &mut SqliteConnection,
    tasks: &[(ExecutionId, Vec<TaskId>)],
    actor: &Actor,
    now: i64,
) -> Result<Vec<(TaskId, bool)>> {
    let wanted: Vec<_> = tasks.iter().map(|(execution, _)| hex(*execution)).collect();
    let ended = sqlx::query_scalar(ENDED).bind(encode(&wanted)?);
    let ended: Vec<String> = ended.fetch_all(&mut *connection).await?;
    let ended = parse_ids(&ended)?;
    let mut cancelled = Vec::new();
    let tasks = tasks.iter().filter(|(execution, _)| ended.contains(execution));
    for id in tasks.flat_map(|(_, tasks)| tasks.iter().copied()) {
        match control::cancel(connection, id, actor.clone(), now).await {
            Ok(was_running) => cancelled.push((id, was_running)),
            // It has ended in between.
            Err(StoreError::NotFound(_) | StoreError::WrongStatus { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(cancelled)
}
