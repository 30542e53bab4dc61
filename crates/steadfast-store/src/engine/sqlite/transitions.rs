//! Moving tasks between states. PostgreSQL does so within the statements of each operation.
//!
//! The state of a task is one small row in the table of that state, so every transition deletes
//! one row and inserts another. The keys of these tables (queue, priority, time) come from the
//! task's own row, so an id is enough to find its state row.
//!
//! Statements that always follow each other are sent as one: a round trip takes longer than a
//! small statement.

use serde::Serialize;
use sqlx::SqliteConnection;
use steadfast::Reason;

use super::row::{Hex, encode};
use crate::engine::row::signed;
use crate::error::Result;
use crate::task::{Status, TaskId};

/// Reduces the task counts of leases, and deletes empty ones. The leases are `?2`.
macro_rules! shrink_leases {
    () => {
        concat!(
            include_str!("sql/shrink_leases.sql"),
            ";",
            include_str!("sql/delete_empty_leases.sql")
        )
    };
}
pub(super) use shrink_leases;

/// Takes finished tasks out of the counters, before they are deleted.
pub(super) const COUNT_REMOVED: &str = include_str!("sql/remove_ended_count.sql");
pub(super) const DELETE_ENDED: &str = include_str!("sql/remove_ended.sql");
const REMOVE_ENDED: &str =
    concat!(include_str!("sql/remove_ended_count.sql"), ";", include_str!("sql/remove_ended.sql"));

const REMOVE_QUEUED: &str =
    concat!(include_str!("sql/remove_pending.sql"), ";", include_str!("sql/remove_scheduled.sql"));
const REMOVE_RUNNING: &str = concat!(include_str!("sql/remove_running.sql"), ";", shrink_leases!());
const ENQUEUE: &str = concat!(
    include_str!("sql/enqueue_pending.sql"),
    ";",
    include_str!("sql/enqueue_scheduled.sql")
);
const END: &str = concat!(
    include_str!("sql/end.sql"),
    ";",
    "UPDATE steadfast_ends SET completed = completed + ?3, failed = failed + ?4, \
     cancelled = cancelled + ?5"
);

/// Removes pending and scheduled tasks. `ids` is a JSON list, here and below.
pub(super) async fn remove_queued(connection: &mut SqliteConnection, ids: &str) -> Result<()> {
    sqlx::query(REMOVE_QUEUED).bind(ids).execute(connection).await?;
    Ok(())
}

/// Removes running tasks. `leases` has the number of tasks per lease; an empty lease is deleted.
pub(super) async fn remove_running(
    connection: &mut SqliteConnection,
    ids: &str,
    leases: &[(i64, usize)],
) -> Result<()> {
    sqlx::query(REMOVE_RUNNING).bind(ids).bind(encode(&leases)?).execute(connection).await?;
    Ok(())
}

/// Sets the due times of tasks that are in no state. A held category makes them later.
pub(super) async fn set_due(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
    now: i64,
) -> Result<()> {
    let set = sqlx::query(include_str!("sql/set_due.sql")).bind(encode(&due)?).bind(now);
    set.execute(connection).await?;
    Ok(())
}

/// Makes tasks that are in no state pending or scheduled, by their due times.
pub(super) async fn enqueue(connection: &mut SqliteConnection, ids: &str, now: i64) -> Result<()> {
    sqlx::query(ENQUEUE).bind(ids).bind(now).execute(connection).await?;
    Ok(())
}

#[derive(Debug, Serialize)]
pub(super) struct Ending<'r> {
    id: Hex,
    status: &'static str,
    reason: Option<&'static str>,
    result: Option<&'r str>,
}

impl<'r> Ending<'r> {
    pub(super) fn completed(id: TaskId, result: Option<&'r str>) -> Self {
        Self { id: Hex(id), status: Status::Completed.name(), reason: None, result }
    }

    pub(super) fn failed(id: TaskId, reason: Reason) -> Self {
        let reason = Some(reason.name());
        Self { id: Hex(id), status: Status::Failed.name(), reason, result: None }
    }

    /// The size of its result.
    pub(super) fn bytes(&self) -> usize {
        self.result.map_or(0, str::len)
    }

    pub(super) fn cancelled(id: TaskId) -> Self {
        Self { id: Hex(id), status: Status::Cancelled.name(), reason: None, result: None }
    }
}

/// Ends tasks that are in no state.
pub(super) async fn end(
    connection: &mut SqliteConnection,
    endings: &[Ending<'_>],
    now: i64,
) -> Result<()> {
    let count = |status: Status| {
        signed(endings.iter().filter(|ending| ending.status == status.name()).count())
    };
    sqlx::query(END)
        .bind(encode(&endings)?)
        .bind(now)
        .bind(count(Status::Completed))
        .bind(count(Status::Failed))
        .bind(count(Status::Cancelled))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn remove_ended(connection: &mut SqliteConnection, ids: &str) -> Result<()> {
    sqlx::query(REMOVE_ENDED).bind(ids).execute(connection).await?;
    Ok(())
}
