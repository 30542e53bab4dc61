//! Operator actions on tasks, queues and breakers, each with its audit entry (D10).

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::json;
use sqlx::Transaction;
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
        let entry = AuditEntry::new(actor.clone(), "task.cancel").target(id);
        let cancel = async {
            let removed = self.remove(id, &[REMOVE_QUEUED, REMOVE_RUNNING], "cancel");
            let (mut transaction, removed_by) = removed.await?;
            end_cancelled(&mut transaction, &[id.uuid()]).await?;
            audit::audit(&mut transaction, &[entry]).await?;
            transaction.commit().await?;
            Ok(removed_by == REMOVE_RUNNING)
        };
        if self.deadline.short(cancel).await? {
            self.notifier.notify(Wake::Cancelled(id));
        }
        Ok(())
    }

    async fn run_now(&self, id: TaskId, actor: &Actor) -> Result<()> {
        let entry = AuditEntry::new(actor.clone(), "task.run_now").target(id);
        let run_now = async {
            let (mut transaction, _) = self.remove(id, &[REMOVE_QUEUED], "run").await?;
            let enqueue = sqlx::query(include_str!("sql/run_now.sql")).bind(id.uuid());
            enqueue.execute(&mut *transaction).await?;
            audit::audit(&mut transaction, &[entry]).await?;
            Ok(transaction.commit().await?)
        };
        self.deadline.short(run_now).await?;
        self.notifier.notify(Wake::Ready);
        Ok(())
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
                0 => self.check_status(id, "change the expiry of", |_| true).await,
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

    /// Removes a task from its state by the first of these statements that finds it. Returns the
    /// open transaction and the statement. A task that changes its state in between is tried again.
    async fn remove(
        &self,
        id: TaskId,
        statements: &[&'static str],
        action: &'static str,
    ) -> Result<(Transaction<'static, sqlx::Postgres>, &'static str)> {
        for _ in 0..MAX_REMOVE_ATTEMPTS {
            let mut transaction = self.pool.begin().await?;
            for statement in statements.iter().copied() {
                let remove = sqlx::query(statement).bind(id.uuid());
                if remove.fetch_optional(&mut *transaction).await?.is_some() {
                    return Ok((transaction, statement));
                }
            }
            transaction.rollback().await?;
            let may_be_running = statements.contains(&REMOVE_RUNNING);
            let is_wrong =
                |status: Status| status.is_ended() || status == Status::Running && !may_be_running;
            self.check_status(id, action, is_wrong).await?;
        }
        let problem = "it changes its state too often; try again".to_owned();
        Err(StoreError::Decode { id, problem })
    }

    /// The error of a task that was not found in the wanted state; `Ok` if it may be there at the
    /// next try.
    async fn check_status(
        &self,
        id: TaskId,
        action: &'static str,
        is_wrong: impl Fn(Status) -> bool,
    ) -> Result<()> {
        let task = read::find(self, &mut *self.pool.acquire().await?, id).await?;
        let task = task.ok_or(StoreError::NotFound(id))?;
        match task.status {
            status if is_wrong(status) => Err(StoreError::WrongStatus { id, status, action }),
            _ => Ok(()),
        }
    }
}

pub(super) async fn end_cancelled(connection: &mut PgConnection, tasks: &[Uuid]) -> Result<()> {
    let end = "INSERT INTO steadfast.ended (id, ended_at, outcome) \
         SELECT g.id, now(), 'cancelled' FROM unnest($1::uuid[]) AS g (id)";
    sqlx::query(end).bind(tasks).execute(connection).await?;
    Ok(())
}
