//! Deletion of what is past its retention (D14).
//!
//! Which tasks exceed the maximum count is known only after a count of all. So a boundary is
//! found once per round, and the batches of the round delete up to it: everything before the
//! boundary exceeds the count, whichever instance deletes it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Row;
use sqlx::postgres::PgPool;
use uuid::Uuid;

use super::row::unsigned;
use super::time::{Time, micros};
use super::{Postgres, audit};
use crate::audit::AuditEntry;
use crate::error::Result;
use crate::events::record::RecordKind;
use crate::maintenance::retention::{Pruned, Retention};
use crate::report::worker::WORKER_RETENTION;

const PRUNE_COUNT: &str = include_str!("sql/prune_count.sql");
const PRUNE_AGED: &str = include_str!("sql/prune_aged.sql");
const PRUNE_BOUNDARY: &str = include_str!("sql/prune_boundary.sql");
const PRUNE_OLDEST: &str = include_str!("sql/prune_oldest.sql");
const PRUNE_FAULTS: &str = include_str!("sql/prune_faults.sql");
const PRUNE_RECORDS: &str = include_str!("sql/prune_records.sql");
const PRUNE_AUDIT: &str = include_str!("sql/prune_audit.sql");
const PRUNE_EXECUTIONS: &str = include_str!("sql/prune_executions.sql");
const PRUNE_EXECUTIONS_COUNT: &str = include_str!("sql/prune_executions_count.sql");

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

/// The age limit of a boundary: ended tasks may be requeued.
const BOUNDARY_MAX_AGE: Duration = Duration::from_secs(60);

pub(super) async fn prune(engine: &Postgres, retention: &Retention) -> Result<Pruned> {
    let pool = &engine.pool;
    if retention.dry_run {
        return count(pool, retention).await;
    }
    let mut pruned = Pruned::default();
    let batch_size = i64::from(retention.batch_size);
    pruned.tasks += sqlx::query(PRUNE_AGED)
        .bind(age(retention.completed_for))
        .bind(age(retention.failed_for))
        .bind(batch_size)
        .execute(pool)
        .await?
        .rows_affected();
    if let Some(max_count) = retention.ended_at_most {
        let rest = batch_size.saturating_sub_unsigned(pruned.tasks);
        pruned.tasks += prune_by_count(engine, max_count, rest).await?;
    }
    if let Some(max_age) = retention.faults_for {
        let prune = sqlx::query(PRUNE_FAULTS).bind(micros(max_age)).bind(batch_size);
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
        pruned.records += sqlx::query(PRUNE_RECORDS)
            .bind(kind.name())
            .bind(age(retention.records_for))
            .bind(limit(retention.records_at_most))
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

fn age(max_age: Option<Duration>) -> Option<i64> {
    max_age.map(micros)
}

fn limit(max_count: Option<u64>) -> Option<i64> {
    max_count.map(|count| i64::try_from(count).unwrap_or(i64::MAX))
}

/// Counts what is past its retention.
async fn count(pool: &PgPool, retention: &Retention) -> Result<Pruned> {
    let row = sqlx::query(PRUNE_COUNT)
        .bind(age(retention.completed_for))
        .bind(age(retention.failed_for))
        .bind(limit(retention.ended_at_most))
        .bind(age(retention.faults_for))
        .bind(age(retention.records_for))
        .bind(limit(retention.records_at_most))
        .bind(age(retention.audit_for))
        .fetch_one(pool)
        .await?;
    let count = |column| row.try_get::<i64, _>(column).map(unsigned);
    let (tasks, faults, records) = (count("tasks")?, count("faults")?, count("records")?);
    Ok(Pruned { tasks, faults, records, executions: 0, audit: count("audit")? })
}

/// The newest task that exceeds the maximum count.
#[derive(Clone, Copy, Debug)]
struct Newest {
    ended_at: Time,
    id: Uuid,
}

/// The boundary of the current round.
#[derive(Debug, Default)]
pub(super) struct CountBoundary(Mutex<Option<Round>>);

#[derive(Clone, Copy, Debug)]
struct Round {
    max_count: i64,
    started: Instant,
    newest: Newest,
}

impl CountBoundary {
    fn current(&self, max_count: i64) -> Option<Newest> {
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

/// Deletes a batch of the ended tasks that exceed the maximum count.
async fn prune_by_count(engine: &Postgres, max_count: u64, batch_size: i64) -> Result<u64> {
    if batch_size <= 0 {
        return Ok(0);
    }
    let max_count = i64::try_from(max_count).unwrap_or(i64::MAX);
    if let Some(newest) = engine.count_boundary.current(max_count) {
        let pruned = prune_up_to(&engine.pool, newest, batch_size).await?;
        if pruned > 0 {
            return Ok(pruned);
        }
    }
    engine.count_boundary.set(None);
    let boundary = sqlx::query(PRUNE_BOUNDARY).bind(max_count).fetch_optional(&engine.pool);
    let Some(row) = boundary.await? else {
        return Ok(0);
    };
    let newest = Newest { ended_at: row.try_get(0)?, id: row.try_get(1)? };
    engine.count_boundary.set(Some(Round { max_count, started: Instant::now(), newest }));
    prune_up_to(&engine.pool, newest, batch_size).await
}

async fn prune_up_to(pool: &PgPool, newest: Newest, batch_size: i64) -> Result<u64> {
    let prune = sqlx::query(PRUNE_OLDEST).bind(newest.ended_at).bind(newest.id).bind(batch_size);
    Ok(prune.execute(pool).await?.rows_affected())
}

/// Deletes the oldest audit entries, and writes an entry about it.
async fn prune_audit(pool: &PgPool, max_age: Duration, batch_size: i64) -> Result<u64> {
    let mut transaction = pool.begin().await?;
    let prune = sqlx::query_as(PRUNE_AUDIT).bind(micros(max_age)).bind(batch_size);
    let pruned: Vec<(i64, String)> = prune.fetch_all(&mut *transaction).await?;
    let entries = pruned.iter().map(|(number, action)| (*number, &**action));
    if let Some(entry) = AuditEntry::pruned(entries) {
        audit::audit(&mut transaction, &[entry]).await?;
    }
    transaction.commit().await?;
    Ok(pruned.len() as u64)
}

pub(super) async fn prune_executions(pool: &PgPool, retention: &Retention) -> Result<u64> {
    let completed = age(retention.completed_for);
    let failed = age(retention.failed_for);
    let max_count = limit(retention.ended_at_most);
    if retention.dry_run {
        let count = sqlx::query_scalar(PRUNE_EXECUTIONS_COUNT);
        let count = count.bind(completed).bind(failed).bind(max_count);
        let count: i64 = count.fetch_one(pool).await?;
        return Ok(count.unsigned_abs());
    }
    let prune = sqlx::query(PRUNE_EXECUTIONS).bind(completed).bind(failed).bind(max_count);
    Ok(prune.bind(i64::from(retention.batch_size)).execute(pool).await?.rows_affected())
}
