//! Moving tasks from place to place.
//!
//! A task's place is one small row, so every move is the same: it leaves where it is, and
//! enters where it goes. What a place is ordered by (queue, priority, time) comes from the
//! task's body, so an id is enough to find its row in any of them.
//!
//! Statements that always follow each other are sent as one: the way to the database and back
//! takes longer than a small statement itself.

use serde::Serialize;
use sqlx::SqliteConnection;
use steadfast::Reason;

use super::row::{Hex, json};
use crate::error::Result;
use crate::task::{Status, TaskId};

const LEAVE: &str =
    concat!(include_str!("sql/leave_ready.sql"), ";", include_str!("sql/leave_waiting.sql"));
const LEAVE_RUNNING: &str = concat!(
    include_str!("sql/leave_running.sql"),
    ";",
    include_str!("sql/lease_shrink.sql"),
    ";",
    include_str!("sql/lease_drop.sql")
);
const SET_DUE: &str = include_str!("sql/set_due.sql");
const ENTER: &str =
    concat!(include_str!("sql/enter_ready.sql"), ";", include_str!("sql/enter_waiting.sql"));
const ENTER_ENDED: &str =
    concat!(include_str!("sql/enter_ended.sql"), ";", include_str!("sql/ends_add.sql"));
const LEAVE_ENDED: &str =
    concat!(include_str!("sql/ends_take.sql"), ";", include_str!("sql/leave_ended.sql"));

/// Takes tasks out of the lines of the ready and the waiting. `ids` is a list as JSON, here and
/// below.
pub(super) async fn leave(connection: &mut SqliteConnection, ids: &str) -> Result<()> {
    sqlx::query(LEAVE).bind(ids).execute(connection).await?;
    Ok(())
}

/// Takes tasks from their workers. `leases` is how many of each lease. A lease without a task
/// is gone.
pub(super) async fn leave_running(
    connection: &mut SqliteConnection,
    ids: &str,
    leases: &[(i64, usize)],
) -> Result<()> {
    sqlx::query(LEAVE_RUNNING).bind(ids).bind(json(&leases)?).execute(connection).await?;
    Ok(())
}

/// Says when tasks that are in no line are due. A held category makes it later.
pub(super) async fn set_due(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
    now: i64,
) -> Result<()> {
    sqlx::query(SET_DUE).bind(json(&due)?).bind(now).execute(connection).await?;
    Ok(())
}

/// Puts tasks that are in no line into the one that their time says.
pub(super) async fn enter(connection: &mut SqliteConnection, ids: &str, now: i64) -> Result<()> {
    sqlx::query(ENTER).bind(ids).bind(now).execute(connection).await?;
    Ok(())
}

/// How a task ends.
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

    /// How much there is to write.
    pub(super) fn bytes(&self) -> usize {
        self.result.map_or(0, str::len)
    }

    pub(super) fn cancelled(id: TaskId) -> Self {
        Self { id: Hex(id), status: Status::Cancelled.name(), reason: None, result: None }
    }
}

/// Ends tasks that are in no line any more.
pub(super) async fn end(
    connection: &mut SqliteConnection,
    endings: &[Ending<'_>],
    now: i64,
) -> Result<()> {
    let count = |status: Status| {
        let ended_so = endings.iter().filter(|ending| ending.status == status.name());
        i64::try_from(ended_so.count()).unwrap_or(i64::MAX)
    };
    sqlx::query(ENTER_ENDED)
        .bind(json(&endings)?)
        .bind(now)
        .bind(count(Status::Completed))
        .bind(count(Status::Failed))
        .bind(count(Status::Cancelled))
        .execute(connection)
        .await?;
    Ok(())
}

/// Takes tasks from those that have ended.
pub(super) async fn leave_ended(connection: &mut SqliteConnection, ids: &str) -> Result<()> {
    sqlx::query(LEAVE_ENDED).bind(ids).execute(connection).await?;
    Ok(())
}
