//! Deletion of data past its retention (D14).
//!
//! Which tasks exceed the maximum count is known only after a count of all. So a boundary is
//! found once per round, and the batches of the round delete up to it: everything before the
//! boundary exceeds the count, whichever instance deletes it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Row;
use sqlx::postgres::PgPool;
use uuid::Uuid;

use super::{Postgres, audit};
use crate::audit::AuditEntry;
use crate::engine::row::{named_statement, signed};
use crate::engine::time::{Time, micros};
use crate::error::Result;
use crate::events::record::RecordKind;
use crate::maintenance::retention::{Pruned, Retention};
use crate::report::WORKER_RETENTION;

/// A statement of `prune.sql`.
fn sql(name: &str) -> &'static str {
    named_statement(include_str!("sql/prune.sql"), name)
}

/// Holds of categories that have ended.
const PRUNE_HOLDS: &str = "DELETE FROM steadfast.holds WHERE until <= now()";
/// Rollups, an hour of them at a time.
const PRUNE_ROLLUPS: &str = "DELETE FROM steadfast.sums \
     WHERE minute < least((extract(epoch FROM now()) * 1000000)::bigint - $1::bigint, \
                          (SELECT min(minute) FROM steadfast.sums) + 3600000000)";
/// Old reports. A row that another instance has locked is being updated or deleted there.
const PRUNE_REPORTS: [&str; 2] = [
    "DELETE FROM steadfast.workers WHERE (name, instance) IN ( \
         SELECT name, instance FROM steadfast.workers \
          WHERE seen_at < now() - $1::bigint * interval '1 microsecond' FOR UPDATE SKIP LOCKED)",
    "DELETE FROM steadfast.budgets WHERE (policy, instance) IN ( \
         SELECT policy, instance FROM steadfast.budgets \
          WHERE seen_at < now() - $1::bigint * interval '1 microsecond' FOR UPDATE SKIP LOCKED)",
];

/// The age limit of a boundary: finished tasks may be requeued.
const BOUNDARY_MAX_AGE: Duration = Duration::from_secs(60);

pub(super) async fn prune(engine: &Postgres, retention: &Retention) -> Result<Pruned> {
    let pool = &engine.pool;
    if retention.dry_run {
        return count(pool, retention).await;
    }
    let mut pruned = Pruned::default();
    let batch_size = i64::from(retention.batch_size);
    pruned.tasks += sqlx::query(sql("aged"))
        .bind(retention.completed_for.map(micros))
        .bind(retention.failed_for.map(micros))
        .bind(batch_size)
        .execute(pool)
        .await?
        .rows_affected();
    if let Some(max_count) = retention.ended_at_most {
        let rest = batch_size.saturating_sub_unsigned(pruned.tasks);
        pruned.tasks += prune_by_count(engine, max_count, rest).await?;
    }
    if let Some(max_age) = retention.faults_for {
        let prune = sqlx::query(sql("faults")).bind(micros(max_age)).bind(batch_size);
        pruned.faults += prune.execute(pool).await?.rows_affected();
    }
    sqlx::query(PRUNE_HOLDS).execute(pool).await?;
    for prune in PRUNE_REPORTS {
        sqlx::query(prune).bind(micros(WORKER_RETENTION)).execute(pool).await?;
    }
    if let Some(max_age) = retention.records_for {
        sqlx::query(PRUNE_ROLLUPS).bind(micros(max_age)).execute(pool).await?;
    }
    for kind in RecordKind::ALL {
        pruned.records += sqlx::query(sql("records"))
            .bind(kind.name())
            .bind(retention.records_for.map(micros))
            .bind(retention.records_at_most.map(signed))
            .bind(batch_size)
            .execute(pool)
            .await?
            .rows_affected();
    }
    if let Some(max_age) = retention.audit_for {
        pruned.audit += prune_audit(pool, max_age, batch_size).await?;
    }
    Ok(pruned)
}

async fn count(pool: &PgPool, retention: &Retention) -> Result<Pruned> {
    let row = sqlx::query(sql("count"))
        .bind(retention.completed_for.map(micros))
        .bind(retention.failed_for.map(micros))
        .bind(retention.ended_at_most.map(signed))
        .bind(retention.faults_for.map(micros))
        .bind(retention.records_for.map(micros))
        .bind(retention.records_at_most.map(signed))
        .bind(retention.audit_for.map(micros))
        .fetch_one(pool)
        .await?;
    Pruned::counted(&row)
}

/// The boundary of the current round.
#[derive(Debug, Default)]
pub(super) struct CountBoundary(Mutex<Option<Round>>);

#[derive(Clone, Copy, Debug)]
struct Round {
    max_count: i64,
    started: Instant,
    /// The newest task that exceeds the maximum count.
    newest: (Time, Uuid),
}

impl CountBoundary {
    fn current(&self, max_count: i64) -> Option<(Time, Uuid)> {
        let round = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = |round: &Round| {
            round.max_count == max_count && round.started.elapsed() < BOUNDARY_MAX_AGE
        };
        round.filter(is_current).map(|round| round.newest)
    }

    fn set(&self, round: Option<Round>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = round;
    }
}

/// Deletes a batch of the finished tasks that exceed the maximum count.
async fn prune_by_count(engine: &Postgres, max_count: u64, batch_size: i64) -> Result<u64> {
    if batch_size <= 0 {
        return Ok(0);
    }
    let max_count = signed(max_count);
    if let Some(newest) = engine.count_boundary.current(max_count) {
        let pruned = prune_up_to(&engine.pool, newest, batch_size).await?;
        if pruned > 0 {
            return Ok(pruned);
        }
    }
    engine.count_boundary.set(None);
    let boundary = sqlx::query(sql("boundary")).bind(max_count).fetch_optional(&engine.pool);
    let Some(row) = boundary.await? else {
        return Ok(0);
    };
    let newest = (row.try_get(0)?, row.try_get(1)?);
    engine.count_boundary.set(Some(Round { max_count, started: Instant::now(), newest }));
    prune_up_to(&engine.pool, newest, batch_size).await
}

async fn prune_up_to(pool: &PgPool, newest: (Time, Uuid), batch_size: i64) -> Result<u64> {
    let prune = sqlx::query(sql("oldest")).bind(newest.0).bind(newest.1).bind(batch_size);
    Ok(prune.execute(pool).await?.rows_affected())
}

/// Deletes the oldest audit entries, and writes an entry about it.
async fn prune_audit(pool: &PgPool, max_age: Duration, batch_size: i64) -> Result<u64> {
    let mut transaction = pool.begin().await?;
    let prune = sqlx::query_as(sql("audit")).bind(micros(max_age)).bind(batch_size);
    let pruned: Vec<(i64, String)> = prune.fetch_all(&mut *transaction).await?;
    let entries = pruned.iter().map(|(number, action)| (*number, &**action));
    if let Some(entry) = AuditEntry::pruned(entries) {
        audit::audit(&mut transaction, &[entry]).await?;
    }
    transaction.commit().await?;
    Ok(pruned.len() as u64)
}

pub(super) async fn prune_executions(pool: &PgPool, retention: &Retention) -> Result<u64> {
    let completed = retention.completed_for.map(micros);
    let failed = retention.failed_for.map(micros);
    let max_count = retention.ended_at_most.map(signed);
    if retention.dry_run {
        let count = sqlx::query_scalar(sql("executions_count"));
        let count = count.bind(completed).bind(failed).bind(max_count);
        let count: i64 = count.fetch_one(pool).await?;
        return Ok(count.unsigned_abs());
    }
    let prune = sqlx::query(sql("executions")).bind(completed).bind(failed).bind(max_count);
    Ok(prune.bind(i64::from(retention.batch_size)).execute(pool).await?.rows_affected())
}
