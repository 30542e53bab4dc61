//! What people do to tasks and queues (D10).
//!
//! Each of them writes down who did it in the same transaction: there is no change without its
//! entry in the audit log, and no entry without its change.

use jiff::Timestamp;
use serde_json::json;
use sqlx::{Row, SqliteConnection};

use super::audit;
use super::row::{ids, micros};
use super::transitions::{self, Ending};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::error::{Result, StoreError};
use crate::task::{Status, TaskId};

const WHERE: &str = include_str!("sql/steer_where.sql");
const DUE_NOW: &str = include_str!("sql/steer_due_now.sql");
const EXPIRY: &str = include_str!("sql/steer_expiry.sql");
const PAUSED: &str = include_str!("sql/steer_paused.sql");

/// Where a task is.
struct Whereabouts {
    status: Status,
    /// The lease that has it.
    version: Option<i64>,
}

async fn find(connection: &mut SqliteConnection, id: TaskId, now: i64) -> Result<Whereabouts> {
    let row = sqlx::query(WHERE).bind(id.uuid()).bind(now).fetch_optional(connection).await?;
    let row = row.ok_or(StoreError::NotFound(id))?;
    let version = row.try_get("version")?;
    Ok(Whereabouts { status: row.try_get::<&str, _>("status")?.parse()?, version })
}

/// Calls a task off. Answers whether a worker had it.
pub(super) async fn cancel(
    connection: &mut SqliteConnection,
    id: TaskId,
    by: Actor,
    now: i64,
) -> Result<bool> {
    let Whereabouts { status, version } = find(connection, id, now).await?;
    if status.is_ended() {
        return Err(StoreError::WrongStatus { id, status, wanted: "cancelled" });
    }
    match version {
        Some(version) => {
            transitions::leave_running(connection, &ids([id])?, &[(version, 1)]).await?
        }
        None => transitions::leave(connection, &ids([id])?).await?,
    }
    transitions::end(connection, &[Ending::cancelled(id)], now).await?;
    let entry = AuditEntry::new(by, "task.cancel").target(id);
    audit::audit(connection, &entry.detail(json!({ "was": status })), now).await?;
    Ok(version.is_some())
}

/// Makes a task due, held or not.
pub(super) async fn run_now(
    connection: &mut SqliteConnection,
    id: TaskId,
    by: Actor,
    now: i64,
) -> Result<()> {
    let Whereabouts { status, .. } = find(connection, id, now).await?;
    if !matches!(status, Status::Pending | Status::Scheduled) {
        return Err(StoreError::WrongStatus { id, status, wanted: "run now" });
    }
    let list = ids([id])?;
    transitions::leave(connection, &list).await?;
    sqlx::query(DUE_NOW).bind(id.uuid()).bind(now).execute(&mut *connection).await?;
    transitions::enter(connection, &list, now).await?;
    let entry = AuditEntry::new(by, "task.run_now").target(id);
    audit::audit(connection, &entry.detail(json!({ "was": status })), now).await
}

/// Changes when a task is too late.
pub(super) async fn set_expiry(
    connection: &mut SqliteConnection,
    id: TaskId,
    expires_at: Option<Timestamp>,
    by: Actor,
    now: i64,
) -> Result<()> {
    let Whereabouts { status, .. } = find(connection, id, now).await?;
    if status.is_ended() {
        return Err(StoreError::WrongStatus { id, status, wanted: "given another expiry" });
    }
    let expiry = expires_at.map(micros);
    sqlx::query(EXPIRY).bind(id.uuid()).bind(expiry).execute(&mut *connection).await?;
    let entry = AuditEntry::new(by, "task.expiry").target(id);
    audit::audit(connection, &entry.detail(json!({ "expires_at": expires_at })), now).await
}

/// Pauses a queue, or lets it go on.
pub(super) async fn set_paused(
    connection: &mut SqliteConnection,
    queue: &str,
    paused: bool,
    by: Actor,
    now: i64,
) -> Result<()> {
    sqlx::query(PAUSED).bind(queue).bind(paused).execute(&mut *connection).await?;
    let action = if paused { "queue.pause" } else { "queue.resume" };
    audit::audit(connection, &AuditEntry::new(by, action).target(queue), now).await
}
