//! Operator actions on tasks, queues and breakers (D10).
//!
//! Each writes its audit entry in the same transaction: there is no change without an entry, and
//! no entry without a change.

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::json;
use sqlx::SqliteConnection;

use super::row::ids;
use super::transitions::{self, Ending};
use super::writer::job;
use super::{Sqlite, audit, requeue};
use crate::audit::AuditEntry;
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::Control;
use crate::engine::row::EngineRow;
use crate::error::{Result, StoreError};
use crate::events::notifier::Wake;
use crate::report::BreakerCommand;
use crate::task::filter::Filter;
use crate::task::{Status, TaskId};

const RUN_NOW: &str = "INSERT INTO steadfast_progress (id, due_at) VALUES (?1, ?2) \
     ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at";
const SET_PAUSED: &str = "INSERT INTO steadfast_queues (name, paused) VALUES (?1, ?2) \
     ON CONFLICT (name) DO UPDATE SET paused = excluded.paused";

#[async_trait]
impl Control for Sqlite {
    async fn cancel(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        let cancel = job!(|connection, now| cancel(connection, id, actor, now).await);
        if self.writer.run(cancel).await? {
            self.notifier.notify(Wake::Cancelled(id));
        }
        Ok(())
    }

    async fn run_now(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        self.writer.run(job!(|connection, now| run_now(connection, id, actor, now).await)).await?;
        self.notifier.notify(Wake::Ready);
        Ok(())
    }

    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        actor: &Actor,
    ) -> Result<()> {
        let entry = AuditEntry::new(actor.clone(), "task.expiry").target(id);
        let entry = entry.detail(json!({ "expires_at": expires_at }));
        let set_expiry = job!(|connection, now| {
            let (status, _) = task_state(connection, id, now).await?;
            if status.is_ended() {
                return Err(StoreError::WrongStatus { id, status, action: "change the expiry of" });
            }
            let set = sqlx::query("UPDATE steadfast_tasks SET expires_at = ?2 WHERE id = ?1");
            let set = set.bind(id.uuid()).bind(expires_at.map(Timestamp::as_microsecond));
            set.execute(&mut *connection).await?;
            audit::audit(connection, &[entry], now).await
        });
        self.writer.run(set_expiry).await
    }

    async fn requeue(&self, filter: &Filter, requeue: &Requeue, actor: &Actor) -> Result<Requeued> {
        if requeue.dry_run {
            let found = requeue::find(&mut **self.reader().await?, filter, requeue.limit).await?;
            return Ok(Requeued::of(found.len() as u64, requeue));
        }
        let (filter, requeue, actor) = (filter.clone(), requeue.clone(), actor.clone());
        let requeue = job!(|connection, now| {
            let (requeued, wakes) = requeue::requeue(connection, &filter, &requeue, now).await?;
            if requeued.count > 0 {
                let entry = AuditEntry::requeue(&actor, &requeue, &filter, requeued);
                audit::audit(connection, &[entry], now).await?;
            }
            Ok((requeued, wakes))
        });
        let (requeued, wakes) = self.writer.run(requeue).await?;
        self.notifier.notify_all(wakes);
        Ok(requeued)
    }

    async fn set_paused(&self, queue: &str, paused: bool, actor: &Actor) -> Result<()> {
        let action = if paused { "queue.pause" } else { "queue.resume" };
        let entry = AuditEntry::new(actor.clone(), action).target(queue);
        let queue = queue.to_owned();
        let set_paused = job!(|connection, now| {
            sqlx::query(SET_PAUSED).bind(queue).bind(paused).execute(&mut *connection).await?;
            audit::audit(connection, &[entry], now).await
        });
        self.writer.run(set_paused).await?;
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
        let entry = AuditEntry::new(actor.clone(), format!("breaker.{}", command.name()));
        let (entry, policy) = (entry.target(policy), policy.to_owned());
        let override_breaker = job!(|connection, now| {
            sqlx::query(include_str!("sql/override_breaker.sql"))
                .bind(policy)
                .bind(command.name())
                .bind(now)
                .bind(&entry.actor.name)
                .bind(&entry.actor.origin)
                .execute(&mut *connection)
                .await?;
            audit::audit(connection, &[entry], now).await
        });
        self.writer.run(override_breaker).await?;
        self.notifier.notify(Wake::Breakers);
        Ok(())
    }
}

/// The state of a task, and the lease that holds it.
async fn task_state(
    connection: &mut SqliteConnection,
    id: TaskId,
    now: i64,
) -> Result<(Status, Option<i64>)> {
    let row = sqlx::query(include_str!("sql/task_state.sql")).bind(id.uuid()).bind(now);
    let row = row.fetch_optional(connection).await?.ok_or(StoreError::NotFound(id))?;
    Ok((row.parsed("status")?, row.get("version")?))
}

/// Cancels a task, and returns whether it was running.
pub(super) async fn cancel(
    connection: &mut SqliteConnection,
    id: TaskId,
    actor: Actor,
    now: i64,
) -> Result<bool> {
    let (status, lease) = task_state(connection, id, now).await?;
    if status.is_ended() {
        return Err(StoreError::WrongStatus { id, status, action: "cancel" });
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
    let (status, _) = task_state(connection, id, now).await?;
    if !matches!(status, Status::Pending | Status::Scheduled) {
        return Err(StoreError::WrongStatus { id, status, action: "run" });
    }
    let list = ids([id])?;
    transitions::remove_queued(connection, &list).await?;
    sqlx::query(RUN_NOW).bind(id.uuid()).bind(now).execute(&mut *connection).await?;
    transitions::enqueue(connection, &list, now).await?;
    let entry = AuditEntry::new(actor, "task.run_now").target(id);
    audit::audit(connection, &[entry.detail(json!({ "was": status }))], now).await
}
