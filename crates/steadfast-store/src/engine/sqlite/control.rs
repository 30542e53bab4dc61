//! Operator actions on tasks, queues and breakers (D10).
//!
//! Each writes its audit entry in the same transaction: there is no change without an entry, and
//! no entry without a change.

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::json;
use sqlx::{Row, SqliteConnection};

use super::row::{ids, micros};
use super::transitions::{self, Ending};
use super::{Sqlite, audit, requeue};
use crate::audit::AuditEntry;
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::Control;
use crate::error::{Result, StoreError};
use crate::events::notifier::Wake;
use crate::report::breaker::BreakerCommand;
use crate::task::filter::Filter;
use crate::task::{Status, TaskId};

const TASK_STATE: &str = include_str!("sql/task_state.sql");
const RUN_NOW: &str = "INSERT INTO steadfast_progress (id, due_at) VALUES (?1, ?2) \
     ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at";
const SET_PAUSED: &str = "INSERT INTO steadfast_queues (name, paused) VALUES (?1, ?2) \
     ON CONFLICT (name) DO UPDATE SET paused = excluded.paused";
const OVERRIDE_BREAKER: &str = include_str!("sql/override_breaker.sql");

#[async_trait]
impl Control for Sqlite {
    async fn cancel(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        let was_running =
            self.writer.run(move |connection, now| Box::pin(cancel(connection, id, actor, now)));
        if was_running.await? {
            self.notifier.notify(Wake::Cancelled(id));
        }
        Ok(())
    }

    async fn run_now(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        let moved =
            self.writer.run(move |connection, now| Box::pin(run_now(connection, id, actor, now)));
        moved.await?;
        self.notifier.notify(Wake::Ready);
        Ok(())
    }

    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        actor: &Actor,
    ) -> Result<()> {
        let actor = actor.clone();
        let set = self.writer.run(move |connection, now| {
            Box::pin(set_expiry(connection, id, expires_at, actor, now))
        });
        set.await
    }

    async fn requeue(&self, filter: &Filter, requeue: &Requeue, actor: &Actor) -> Result<Requeued> {
        let (filter, requeue, actor) = (filter.clone(), requeue.clone(), actor.clone());
        if requeue.dry_run {
            let counted = self.read(move |connection| {
                Box::pin(async move { requeue::count(connection, &filter, &requeue).await })
            });
            return counted.await;
        }
        let requeued = self.writer.run(move |connection, now| {
            Box::pin(async move {
                let (requeued, wakes) =
                    requeue::requeue(connection, &filter, &requeue, now).await?;
                if requeued.count > 0 {
                    let entry = AuditEntry::requeue(&actor, &requeue, &filter, requeued);
                    audit::audit(connection, &[entry], now).await?;
                }
                Ok((requeued, wakes))
            })
        });
        let (requeued, wakes) = requeued.await?;
        self.notify_all(wakes);
        Ok(requeued)
    }

    async fn set_paused(&self, queue: &str, paused: bool, actor: &Actor) -> Result<()> {
        let (queue, actor) = (queue.to_owned(), actor.clone());
        let set = self.writer.run(move |connection, now| {
            Box::pin(async move { set_paused(connection, &queue, paused, actor, now).await })
        });
        set.await?;
        if !paused {
            self.notifier.notify(Wake::Ready);
        }
        Ok(())
    }

    async fn override_breaker(
        &self,
        policy: &str,
        command: BreakerCommand,
        actor: &Actor,
    ) -> Result<()> {
        let (policy, actor) = (policy.to_owned(), actor.clone());
        let written = self.writer.run(move |connection, now| {
            Box::pin(
                async move { override_breaker(connection, &policy, command, actor, now).await },
            )
        });
        written.await?;
        self.notifier.notify(Wake::Breakers);
        Ok(())
    }
}

/// The state of a task.
struct TaskState {
    status: Status,
    /// The lease that holds it.
    lease: Option<i64>,
}

async fn task_state(connection: &mut SqliteConnection, id: TaskId, now: i64) -> Result<TaskState> {
    let row = sqlx::query(TASK_STATE).bind(id.uuid()).bind(now).fetch_optional(connection).await?;
    let row = row.ok_or(StoreError::NotFound(id))?;
    let lease = row.try_get("version")?;
    Ok(TaskState { status: row.try_get::<&str, _>("status")?.parse()?, lease })
}

/// Cancels a task, and returns whether it was running.
pub(super) async fn cancel(
    connection: &mut SqliteConnection,
    id: TaskId,
    actor: Actor,
    now: i64,
) -> Result<bool> {
    let TaskState { status, lease } = task_state(connection, id, now).await?;
    if status.is_ended() {
        return Err(StoreError::WrongStatus { id, status, wanted: "cancelled" });
    }
    match lease {
        Some(lease) => {
            transitions::remove_running(connection, &ids([id])?, &[(lease, 1)]).await?;
        }
        None => transitions::remove_queued(connection, &ids([id])?).await?,
    }
    transitions::end(connection, &[Ending::cancelled(id)], now).await?;
    let entry = AuditEntry::new(actor, "task.cancel").target(id);
    audit::audit(connection, &[entry.detail(json!({ "was": status }))], now).await?;
    Ok(lease.is_some())
}

/// Makes a task due, even if its category is held.
async fn run_now(
    connection: &mut SqliteConnection,
    id: TaskId,
    actor: Actor,
    now: i64,
) -> Result<()> {
    let TaskState { status, .. } = task_state(connection, id, now).await?;
    if !matches!(status, Status::Pending | Status::Scheduled) {
        return Err(StoreError::WrongStatus { id, status, wanted: "run now" });
    }
    let list = ids([id])?;
    transitions::remove_queued(connection, &list).await?;
    sqlx::query(RUN_NOW).bind(id.uuid()).bind(now).execute(&mut *connection).await?;
    transitions::enqueue(connection, &list, now).await?;
    let entry = AuditEntry::new(actor, "task.run_now").target(id);
    audit::audit(connection, &[entry.detail(json!({ "was": status }))], now).await
}

async fn set_expiry(
    connection: &mut SqliteConnection,
    id: TaskId,
    expires_at: Option<Timestamp>,
    actor: Actor,
    now: i64,
) -> Result<()> {
    let TaskState { status, .. } = task_state(connection, id, now).await?;
    if status.is_ended() {
        return Err(StoreError::WrongStatus { id, status, wanted: "given another expiry" });
    }
    let set = sqlx::query("UPDATE steadfast_tasks SET expires_at = ?2 WHERE id = ?1");
    set.bind(id.uuid()).bind(expires_at.map(micros)).execute(&mut *connection).await?;
    let entry = AuditEntry::new(actor, "task.expiry").target(id);
    audit::audit(connection, &[entry.detail(json!({ "expires_at": expires_at }))], now).await
}

async fn set_paused(
    connection: &mut SqliteConnection,
    queue: &str,
    paused: bool,
    actor: Actor,
    now: i64,
) -> Result<()> {
    sqlx::query(SET_PAUSED).bind(queue).bind(paused).execute(&mut *connection).await?;
    let action = if paused { "queue.pause" } else { "queue.resume" };
    audit::audit(connection, &[AuditEntry::new(actor, action).target(queue)], now).await
}

async fn override_breaker(
    connection: &mut SqliteConnection,
    policy: &str,
    command: BreakerCommand,
    actor: Actor,
    now: i64,
) -> Result<()> {
    sqlx::query(OVERRIDE_BREAKER)
        .bind(policy)
        .bind(command.name())
        .bind(now)
        .bind(&actor.name)
        .bind(&actor.origin)
        .execute(&mut *connection)
        .await?;
    let action = format!("breaker.{}", command.name());
    audit::audit(connection, &[AuditEntry::new(actor, action).target(policy)], now).await
}
