//! Forgetting what is past its retention (D14).
//!
//! What to forget is looked up beside the writer, because counting a million rows takes a
//! while. The writer then only forgets it, a bounded number at a time, after a second look at
//! whether each task is still as it was found.

use std::time::Duration;

use sqlx::{Row, SqliteConnection};

use super::row::{Hex, before, json, read};
use super::{audit, now, reports};
use crate::audit::AuditEntry;
use crate::error::Result;
use crate::events::record::RecordKind;
use crate::maintenance::retention::{Pruned, Retention};
use crate::task::Status;

const WOULD: &str = include_str!("sql/prune_would.sql");
const AGED: &str = include_str!("sql/prune_aged.sql");
const COUNT: &str = include_str!("sql/prune_count.sql");
const OLDEST: &str = include_str!("sql/prune_oldest.sql");
const STILL: &str = include_str!("sql/prune_still.sql");
const PACKED: &str = include_str!("sql/prune_packed.sql");
const DROP_PACKED: &str = include_str!("sql/prune_drop_packed.sql");
const COUNT_RECORDS: &str = include_str!("sql/prune_count_records.sql");
const DROP_RECORDS: &str = include_str!("sql/prune_drop_records.sql");
const DROP_SUMS: &str = include_str!("sql/prune_drop_sums.sql");
const DROP_AUDIT: &str = include_str!("sql/prune_drop_audit.sql");

const RECOUNT: &str = include_str!("sql/ends_recount.sql");

/// Everything that is kept of a task, its place last.
const DROP: [&str; 6] = [
    include_str!("sql/prune_drop_faults.sql"),
    DROP_PACKED,
    include_str!("sql/prune_drop_progress.sql"),
    include_str!("sql/prune_drop_tasks.sql"),
    include_str!("sql/ends_take.sql"),
    include_str!("sql/leave_ended.sql"),
];

/// What can be forgotten: tasks with the times of their ends, and how many records of a kind.
#[derive(Debug, Default)]
pub(super) struct Old {
    tasks: Vec<(Hex, i64)>,
    records: Vec<(RecordKind, i64)>,
    /// Somebody has ended or forgotten tasks without counting them.
    is_miscounted: bool,
}

/// Counts what can be forgotten.
pub(super) async fn count(
    connection: &mut SqliteConnection,
    retention: &Retention,
) -> Result<Pruned> {
    let now = now(connection).await?;
    let age = |kept: Option<Duration>| kept.map(|kept| before(now, kept));
    let row = sqlx::query(WOULD)
        .bind(age(retention.completed_for))
        .bind(age(retention.failed_for))
        .bind(retention.ended_at_most.map(column))
        .bind(age(retention.faults_for))
        .bind(age(retention.records_for))
        .bind(retention.records_at_most.map(column))
        .bind(age(retention.audit_for))
        .fetch_one(connection)
        .await?;
    let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
    let (tasks, faults, records) = (count("tasks")?, count("faults")?, count("records")?);
    Ok(Pruned { tasks, faults, records, executions: 0, audit: count("audit")? })
}

/// A count as a column holds it.
fn column(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Looks for what can be forgotten.
pub(super) async fn find(connection: &mut SqliteConnection, retention: &Retention) -> Result<Old> {
    let now = now(connection).await?;
    let mut old = Old::default();
    let aged = [
        (Status::Completed, retention.completed_for),
        (Status::Failed, retention.failed_for),
        (Status::Cancelled, retention.failed_for),
    ];
    let most = i64::from(retention.at_a_time);
    for (status, kept_for) in aged {
        let Some(kept_for) = kept_for else { continue };
        let room = most - i64::try_from(old.tasks.len()).unwrap_or(most);
        let aged: String = sqlx::query_scalar(AGED)
            .bind(status.name())
            .bind(before(now, kept_for))
            .bind(room)
            .fetch_one(&mut *connection)
            .await?;
        old.tasks.extend(read::<Vec<(Hex, i64)>>(&aged)?);
    }
    if let (true, Some(at_most)) = (old.tasks.is_empty(), retention.ended_at_most) {
        let (count, counted): (i64, i64) =
            sqlx::query_as(COUNT).fetch_one(&mut *connection).await?;
        old.is_miscounted = count != counted;
        let oldest = sqlx::query_scalar(OLDEST).bind(surplus(count, at_most).min(most));
        let oldest: String = oldest.fetch_one(&mut *connection).await?;
        old.tasks = read(&oldest)?;
    }
    let Some(at_most) = retention.records_at_most else {
        return Ok(old);
    };
    for kind in RecordKind::ALL {
        let count = sqlx::query_scalar(COUNT_RECORDS).bind(kind.name());
        let count = count.fetch_one(&mut *connection).await?;
        old.records.push((kind, surplus(count, at_most).min(most)));
    }
    Ok(old)
}

/// How many are more than there may be.
fn surplus(count: i64, at_most: u64) -> i64 {
    count.saturating_sub(column(at_most)).max(0)
}

/// Forgets what was found.
pub(super) async fn forget(
    connection: &mut SqliteConnection,
    old: &Old,
    retention: &Retention,
    now: i64,
) -> Result<Pruned> {
    if old.is_miscounted {
        sqlx::query(RECOUNT).execute(&mut *connection).await?;
    }
    let tasks = forget_tasks(connection, &old.tasks).await?;
    let faults = match retention.faults_for {
        Some(age) => forget_faults(connection, before(now, age), retention.at_a_time).await?,
        None => 0,
    };
    let mut records = 0;
    if let Some(age) = retention.records_for {
        let most = i64::from(retention.at_a_time);
        for kind in RecordKind::ALL {
            records += forget_records(connection, kind, before(now, age), most).await?;
        }
        sqlx::query(DROP_SUMS).bind(before(now, age)).execute(&mut *connection).await?;
    }
    reports::prune(connection, now).await?;
    for (kind, surplus) in &old.records {
        records += forget_records(connection, *kind, i64::MAX, *surplus).await?;
    }
    let audit = match retention.audit_for {
        Some(age) => forget_audit(connection, before(now, age), retention.at_a_time, now).await?,
        None => 0,
    };
    Ok(Pruned { tasks, faults, records, executions: 0, audit })
}

async fn forget_tasks(connection: &mut SqliteConnection, old: &[(Hex, i64)]) -> Result<u64> {
    if old.is_empty() {
        return Ok(0);
    }
    let still = sqlx::query_scalar(STILL).bind(json(&old)?);
    let still: String = still.fetch_one(&mut *connection).await?;
    let mut count = 0;
    for drop in DROP {
        count = sqlx::query(drop).bind(&still).execute(&mut *connection).await?.rows_affected();
    }
    Ok(count)
}

/// Forgets packed histories of tasks that stay.
async fn forget_faults(
    connection: &mut SqliteConnection,
    older_than: i64,
    limit: u32,
) -> Result<u64> {
    let packed = sqlx::query_scalar(PACKED).bind(older_than).bind(limit);
    let packed: String = packed.fetch_one(&mut *connection).await?;
    let packed: Vec<(Hex, u64)> = read(&packed)?;
    let ids: Vec<_> = packed.iter().map(|(id, _)| *id).collect();
    sqlx::query(DROP_PACKED).bind(json(&ids)?).execute(connection).await?;
    Ok(packed.iter().map(|(_, faults)| faults).sum())
}

async fn forget_records(
    connection: &mut SqliteConnection,
    kind: RecordKind,
    older_than: i64,
    limit: i64,
) -> Result<u64> {
    let drop = sqlx::query(DROP_RECORDS).bind(kind.name()).bind(older_than).bind(limit);
    Ok(drop.execute(connection).await?.rows_affected())
}

/// Forgets the oldest of the audit log, and writes that down in it.
async fn forget_audit(
    connection: &mut SqliteConnection,
    older_than: i64,
    limit: u32,
    now: i64,
) -> Result<u64> {
    let drop = sqlx::query_as(DROP_AUDIT).bind(older_than).bind(limit);
    let gone: Vec<(i64, String)> = drop.fetch_all(&mut *connection).await?;
    if let Some(entry) =
        AuditEntry::pruned(gone.iter().map(|(number, action)| (*number, &**action)))
    {
        audit::audit(connection, &entry, now).await?;
    }
    Ok(gone.len() as u64)
}
