//! What people do to tasks and queues. Each writes its line in the audit log with it.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use sqlx::{PgConnection, Row};
use steadfast::Class;
use uuid::Uuid;

use super::Postgres;
use super::audit;
use super::time::Time;
use crate::audit::AuditEntry;
use crate::control::{Actor, Requeue, Requeued};
use crate::error::{Result, StoreError};
use crate::events::notifier::Wake;
use crate::task::filter::Filter;
use crate::task::{Status, TaskId};

const TAKE_OFF_LINE: &str = include_str!("sql/take_off_line.sql");
const TAKE_FROM_LEASE: &str = include_str!("sql/take_from_lease.sql");
const CANCEL: &str = include_str!("sql/cancel.sql");
const MAKE_READY: &str = include_str!("sql/make_ready.sql");
const SET_EXPIRY: &str = include_str!("sql/set_expiry.sql");
const REQUEUE: &str = include_str!("sql/requeue.sql");

/// How often a task is looked for again that moved while it was being looked for.
const LOOKS: usize = 20;

impl Postgres {
    pub(super) async fn cancel_task(&self, id: TaskId, by: &Actor) -> Result<()> {
        for _ in 0..LOOKS {
            let mut transaction = self.pool.begin().await?;
            let waits = take(&mut transaction, TAKE_OFF_LINE, id).await?;
            if waits || take(&mut transaction, TAKE_FROM_LEASE, id).await? {
                sqlx::query(CANCEL).bind(id.uuid()).execute(&mut *transaction).await?;
                let entry = AuditEntry::new(by.clone(), "task.cancel").target(id);
                audit::audit(&mut transaction, &entry).await?;
                transaction.commit().await?;
                if !waits {
                    self.announcer.tell(Wake::Cancelled(id));
                }
                return Ok(());
            }
            transaction.rollback().await?;
            self.refuse(id, "cancelled", Status::is_ended).await?;
        }
        Err(self.restless(id))
    }

    pub(super) async fn make_due(&self, id: TaskId, by: &Actor) -> Result<()> {
        for _ in 0..LOOKS {
            let mut transaction = self.pool.begin().await?;
            if take(&mut transaction, TAKE_OFF_LINE, id).await? {
                sqlx::query(MAKE_READY).bind(id.uuid()).execute(&mut *transaction).await?;
                let entry = AuditEntry::new(by.clone(), "task.run_now").target(id);
                audit::audit(&mut transaction, &entry).await?;
                transaction.commit().await?;
                self.announcer.tell(Wake::Ready);
                return Ok(());
            }
            transaction.rollback().await?;
            let is_elsewhere = |status: Status| status.is_ended() || status == Status::Running;
            self.refuse(id, "run now", is_elsewhere).await?;
        }
        Err(self.restless(id))
    }

    pub(super) async fn change_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        by: &Actor,
    ) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        let changed = sqlx::query(SET_EXPIRY)
            .bind(id.uuid())
            .bind(expires_at.map(Time))
            .execute(&mut *transaction)
            .await?;
        if changed.rows_affected() == 0 {
            transaction.rollback().await?;
            return self.refuse(id, "given another expiry", |_| true).await;
        }
        let entry = AuditEntry::new(by.clone(), "task.expiry").target(id);
        let entry = entry.detail(json!({ "expires_at": expires_at }));
        audit::audit(&mut transaction, &entry).await?;
        transaction.commit().await?;
        Ok(())
    }

    pub(super) async fn requeue_ended(
        &self,
        filter: &Filter,
        how: &Requeue,
        by: &Actor,
    ) -> Result<Requeued> {
        let mut transaction = self.pool.begin().await?;
        let requeued = requeue_on(&mut transaction, filter, how).await?;
        if how.dry_run || requeued.count == 0 {
            return Ok(requeued);
        }
        let entry = AuditEntry::new(by.clone(), "tasks.requeue");
        let entry = entry.detail(how.detail(filter, requeued));
        let target = match filter.ids.as_deref() {
            Some([only]) => Some(only.to_string()),
            _ => None,
        };
        let entry = AuditEntry { target, ..entry };
        audit::audit(&mut transaction, &entry).await?;
        transaction.commit().await?;
        self.announcer.tell(Wake::Ready);
        // They are requeued, whether or not anybody can be told when.
        let some_wait = requeued.over > Duration::ZERO || how.keep_time;
        if some_wait && let Ok(now) = self.database_time().await {
            self.announcer.tell(Wake::Due(now));
        }
        Ok(requeued)
    }

    pub(super) async fn pause_queue(&self, queue: &str, paused: bool, by: &Actor) -> Result<()> {
        let number = self.names.queue(&self.pool, queue).await?;
        let mut transaction = self.pool.begin().await?;
        sqlx::query("UPDATE steadfast.queues SET paused = $2 WHERE id = $1")
            .bind(number)
            .bind(paused)
            .execute(&mut *transaction)
            .await?;
        let action = if paused { "queue.pause" } else { "queue.resume" };
        audit::audit(&mut transaction, &AuditEntry::new(by.clone(), action).target(queue)).await?;
        transaction.commit().await?;
        if !paused {
            self.announcer.tell(Wake::Ready);
        }
        Ok(())
    }

    /// Says why a task that was not where it was looked for cannot be had; nothing if it may
    /// be there the next time.
    async fn refuse(
        &self,
        id: TaskId,
        wanted: &'static str,
        cannot: impl Fn(Status) -> bool,
    ) -> Result<()> {
        let task = self.find(id).await?.ok_or(StoreError::NotFound(id))?;
        match task.status {
            status if cannot(status) => Err(StoreError::WrongStatus { id, status, wanted }),
            _ => Ok(()),
        }
    }

    /// It moved every time it was looked for.
    fn restless(&self, id: TaskId) -> StoreError {
        StoreError::Damaged { id, problem: "it was in no place that was looked at".to_owned() }
    }
}

/// Has ended tasks tried again, within a transaction that says who wanted it.
pub(super) async fn requeue_on(
    connection: &mut PgConnection,
    filter: &Filter,
    how: &Requeue,
) -> Result<Requeued> {
    let ids: Option<Vec<Uuid>> =
        filter.ids.as_ref().map(|ids| ids.iter().map(|id| id.uuid()).collect());
    let row = sqlx::query(REQUEUE)
        .bind(filter.status.map(Status::name))
        .bind(ids)
        .bind(&filter.queue)
        .bind(&filter.category)
        .bind(&filter.kind)
        .bind(filter.class.map(Class::name))
        .bind(&filter.correlation_id)
        .bind(filter.due_before.map(Time))
        .bind(filter.submitted_after.map(Time))
        .bind(filter.ended_after.map(Time))
        .bind(how.limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)))
        .bind(how.per_second.map(|rate| 1e6 / rate))
        .bind(how.fresh)
        .bind(how.dry_run)
        .bind(how.keep_time)
        .fetch_one(connection)
        .await?;
    let found: i64 = row.try_get(if how.dry_run { 0 } else { 1 })?;
    Ok(Requeued::of(u64::try_from(found).unwrap_or_default(), how))
}

async fn take(connection: &mut PgConnection, statement: &'static str, id: TaskId) -> Result<bool> {
    let taken: Option<Uuid> =
        sqlx::query_scalar(statement).bind(id.uuid()).fetch_optional(connection).await?;
    Ok(taken.is_some())
}
