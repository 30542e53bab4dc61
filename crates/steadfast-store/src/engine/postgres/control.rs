//! Operator actions on tasks, queues and breakers, each with its audit entry (D10).

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::json;
use sqlx::postgres::{PgArguments, PgConnection};
use sqlx::query::Query;
use uuid::Uuid;

use super::{Postgres, audit, read, requeue};
use crate::audit::AuditEntry;
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::Control;
use crate::engine::time::Time;
use crate::error::{Result, StoreError};
use crate::events::notifier::Wake;
use crate::report::BreakerCommand;
use crate::task::filter::Filter;
use crate::task::{Status, TaskId};

const REMOVE_QUEUED: &str = include_str!("sql/remove_queued.sql");
pub(super) const REMOVE_RUNNING: &str = include_str!("sql/remove_running.sql");

/// The number of tries to remove a task that changes its state in between.
const MAX_REMOVE_ATTEMPTS: usize = 20;

#[async_trait]
impl Control for Postgres {
    async fn cancel(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let cancel = async {
            for _ in 0..MAX_REMOVE_ATTEMPTS {
                let mut transaction = self.pool.begin().await?;
                let was_queued = remove(&mut transaction, REMOVE_QUEUED, id).await?;
                if was_queued || remove(&mut transaction, REMOVE_RUNNING, id).await? {
                    end_cancelled(&mut transaction, &[id.uuid()]).await?;
                    let entry = AuditEntry::new(actor.clone(), "task.cancel").target(id);
                    audit::audit(&mut transaction, &[entry]).await?;
                    transaction.commit().await?;
                    if !was_queued {
                        self.notifier.notify(Wake::Cancelled(id));
                    }
                    return Ok(());
                }
                transaction.rollback().await?;
                self.check_status(id, "cancelled", Status::is_ended).await?;
            }
            Err(never_found(id))
        };
        self.deadline.short(cancel).await
    }

    async fn run_now(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let run_now = async {
            for _ in 0..MAX_REMOVE_ATTEMPTS {
                let mut transaction = self.pool.begin().await?;
                if remove(&mut transaction, REMOVE_QUEUED, id).await? {
                    sqlx::query(include_str!("sql/run_now.sql"))
                        .bind(id.uuid())
                        .execute(&mut *transaction)
                        .await?;
                    let entry = AuditEntry::new(actor.clone(), "task.run_now").target(id);
                    audit::audit(&mut transaction, &[entry]).await?;
                    transaction.commit().await?;
                    self.notifier.notify(Wake::Ready);
                    return Ok(());
                }
                transaction.rollback().await?;
                let is_not_queued = |status: Status| status.is_ended() || status == Status::Running;
                self.check_status(id, "run now", is_not_queued).await?;
            }
            Err(never_found(id))
        };
        self.deadline.short(run_now).await
    }

    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        actor: &Actor,
    ) -> Result<()> {
        let set = "UPDATE steadfast.tasks t SET expires_at = $2 WHERE t.id = $1 \
             AND NOT EXISTS (SELECT FROM steadfast.ended e WHERE e.id = t.id)";
        let set = sqlx::query(set).bind(id.uuid()).bind(expires_at.map(Time));
        let entry = AuditEntry::new(actor.clone(), "task.expiry").target(id);
        let entry = entry.detail(json!({ "expires_at": expires_at }));
        let set_expiry = async {
            match self.audited(set, entry).await? {
                0 => self.check_status(id, "given another expiry", |_| true).await,
                _ => Ok(()),
            }
        };
        self.deadline.short(set_expiry).await
    }

    async fn requeue(&self, filter: &Filter, requeue: &Requeue, actor: &Actor) -> Result<Requeued> {
        let requeue = async {
            let mut transaction = self.pool.begin().await?;
            let requeued = requeue::requeue(&mut transaction, filter, requeue).await?;
            if requeue.dry_run || requeued.count == 0 {
                return Ok(requeued);
            }
            let entry = AuditEntry::requeue(actor, requeue, filter, requeued);
            audit::audit(&mut transaction, &[entry]).await?;
            transaction.commit().await?;
            self.notifier.notify(Wake::Ready);
            // The tasks are requeued even if this wake-up cannot be sent.
            let some_wait = requeued.over > Duration::ZERO || requeue.keep_time;
            if some_wait && let Ok(now) = self.database_time().await {
                self.notifier.notify(Wake::Due(now));
            }
            Ok(requeued)
        };
        self.deadline.long(requeue).await
    }

    async fn set_paused(&self, queue: &str, paused: bool, actor: &Actor) -> Result<()> {
        let action = if paused { "queue.pause" } else { "queue.resume" };
        let entry = AuditEntry::new(actor.clone(), action).target(queue);
        let set_paused = async {
            let number = self.names.queue(&self.pool, queue).await?;
            let set = sqlx::query("UPDATE steadfast.queues SET paused = $2 WHERE id = $1");
            self.audited(set.bind(number).bind(paused), entry).await
        };
        self.deadline.short(set_paused).await?;
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
        let action = format!("breaker.{}", command.name());
        let entry = AuditEntry::new(actor.clone(), action).target(policy);
        let write = sqlx::query(include_str!("sql/override_breaker.sql"))
            .bind(policy)
            .bind(command.name())
            .bind(&actor.name)
            .bind(&actor.origin);
        self.deadline.short(self.audited(write, entry)).await?;
        self.notifier.notify(Wake::Breakers);
        Ok(())
    }
}

impl Postgres {
    /// Runs a statement, and writes the audit entry in the same transaction unless nothing changed.
    /// Returns the number of changed rows.
    async fn audited(
        &self,
        query: Query<'_, sqlx::Postgres, PgArguments>,
        entry: AuditEntry,
    ) -> Result<u64> {
        let mut transaction = self.pool.begin().await?;
        let changed = query.execute(&mut *transaction).await?.rows_affected();
        if changed > 0 {
            audit::audit(&mut transaction, &[entry]).await?;
            transaction.commit().await?;
        }
        Ok(changed)
    }

    /// The error of a task that was not found in the wanted state; `Ok` if it may be there at the
    /// next try.
    async fn check_status(
        &self,
        id: TaskId,
        wanted: &'static str,
        is_wrong: impl Fn(Status) -> bool,
    ) -> Result<()> {
        let task = read::find(self, &mut *self.pool.acquire().await?, id).await?;
        let task = task.ok_or(StoreError::NotFound(id))?;
        match task.status {
            status if is_wrong(status) => Err(StoreError::WrongStatus { id, status, wanted }),
            _ => Ok(()),
        }
    }
}

/// The error of a task that changed its state between all tries.
fn never_found(id: TaskId) -> StoreError {
    StoreError::Decode { id, problem: "it changes its state too often; try again".to_owned() }
}

async fn remove(
    connection: &mut PgConnection,
    statement: &'static str,
    id: TaskId,
) -> Result<bool> {
    let removed: Option<Uuid> =
        sqlx::query_scalar(statement).bind(id.uuid()).fetch_optional(connection).await?;
    Ok(removed.is_some())
}

pub(super) async fn end_cancelled(connection: &mut PgConnection, tasks: &[Uuid]) -> Result<()> {
    let end = "INSERT INTO steadfast.ended (id, ended_at, outcome) \
         SELECT g.id, now(), 'cancelled' FROM unnest($1::uuid[]) AS g (id)";
    sqlx::query(end).bind(tasks).execute(connection).await?;
    Ok(())
}
