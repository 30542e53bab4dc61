//! Calling off what an execution that has ended left behind.

use sqlx::SqliteConnection;

use super::super::control;
use super::super::row::json;
use super::hex;
use super::start::read_ids;
use crate::control::Actor;
use crate::error::{Result, StoreError};
use crate::task::TaskId;
use crate::workflow::ExecutionId;

const OVER: &str = include_str!("../sql/execution_over.sql");

/// A task that was called off.
pub(super) struct CalledOff {
    pub(super) id: TaskId,
    pub(super) was_running: bool,
}

/// Whether an execution has ended is asked in the transaction that calls its tasks off: somebody
/// may have it go on again since they were found to be left.
pub(super) async fn call_off(
    connection: &mut SqliteConnection,
    tasks: &[(ExecutionId, Vec<TaskId>)],
    by: &Actor,
    now: i64,
) -> Result<Vec<CalledOff>> {
    let asked: Vec<_> = tasks.iter().map(|(execution, _)| hex(*execution)).collect();
    let over = sqlx::query_scalar(OVER).bind(json(&asked)?);
    let over: Vec<String> = over.fetch_all(&mut *connection).await?;
    let over = read_ids(&over)?;
    let mut called_off = Vec::new();
    let tasks = tasks.iter().filter(|(execution, _)| over.contains(execution));
    for id in tasks.flat_map(|(_, tasks)| tasks.iter().copied()) {
        match control::cancel(connection, id, by.clone(), now).await {
            Ok(was_running) => called_off.push(CalledOff { id, was_running }),
            // It has ended meanwhile, which is as well.
            Err(StoreError::NotFound(_) | StoreError::WrongStatus { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(called_off)
}
