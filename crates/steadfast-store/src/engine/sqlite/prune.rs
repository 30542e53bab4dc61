//! Deletion of data past its retention (D14).
//!
//! The candidates are found by a reader, because counting a million rows takes a while. The writer
//! only deletes them, a batch at a time, after a check that each task is still as it was found.

use std::time::Duration;

use sqlx::SqliteConnection;

use super::row::{Hex, before, encode, fetch_json};
use super::transitions::{COUNT_REMOVED, DELETE_ENDED};
use super::{audit, now};
use crate::audit::AuditEntry;
use crate::engine::row::{named_statement, signed};
use crate::error::Result;
use crate::events::record::RecordKind;
use crate::maintenance::retention::{Pruned, Retention};
use crate::report::WORKER_RETENTION;
use crate::task::Status;

/// A statement of `prune.sql`.
fn sql(name: &str) -> &'static str {
    named_statement(include_str!("sql/prune.sql"), name)
}

/// The number of finished tasks, and the number according to the counters.
const COUNT_ENDED: &str = "SELECT (SELECT count(*) FROM steadfast_ended), \
     (SELECT completed + failed + cancelled FROM steadfast_ends)";
const OLD_HISTORIES: &str = "SELECT json_group_array(json_array(hex(id), faults)) FROM ( \
     SELECT id, faults FROM steadfast_packed WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)";
const DELETE_HISTORIES: &str =
    "DELETE FROM steadfast_packed WHERE id IN (SELECT unhex(value) FROM json_each(?1))";
/// Scans no more than the oldest rows of a batch.
const DELETE_RECORDS: &str = "DELETE FROM steadfast_records WHERE number IN \
     (SELECT number FROM steadfast_records WHERE kind = ?1 ORDER BY number LIMIT ?3) AND at < ?2";
/// Rollups, an hour of them at a time.
const DELETE_ROLLUPS: &str = "DELETE FROM steadfast_sums \
     WHERE minute < min(?1, (SELECT min(minute) FROM steadfast_sums) + 3600000000)";
const DELETE_REPORTS: [&str; 2] = [
    "DELETE FROM steadfast_workers WHERE seen_at < ?1",
    "DELETE FROM steadfast_budgets WHERE seen_at < ?1",
];

/// Everything about a task, its state last.
const DELETE_TASKS: [&str; 6] = [
    "DELETE FROM steadfast_faults WHERE id IN (SELECT unhex(value) FROM json_each(?1))",
    DELETE_HISTORIES,
    "DELETE FROM steadfast_progress WHERE id IN (SELECT unhex(value) FROM json_each(?1))",
    "DELETE FROM steadfast_tasks WHERE id IN (SELECT unhex(value) FROM json_each(?1))",
    COUNT_REMOVED,
    DELETE_ENDED,
];

/// What can be deleted: tasks with the times of their ends, and a number of records per kind.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    tasks: Vec<(Hex, i64)>,
    records: Vec<(RecordKind, i64)>,
    /// Another program has ended or deleted tasks without counting them.
    is_miscounted: bool,
}

pub(super) async fn count(
    connection: &mut SqliteConnection,
    retention: &Retention,
) -> Result<Pruned> {
    let now = now(connection).await?;
    let age = |max_age: Option<Duration>| max_age.map(|max_age| before(now, max_age));
    let row = sqlx::query(sql("count"))
        .bind(age(retention.completed_for))
        .bind(age(retention.failed_for))
        .bind(retention.ended_at_most.map(signed))
        .bind(age(retention.faults_for))
        .bind(age(retention.records_for))
        .bind(retention.records_at_most.map(signed))
        .bind(age(retention.audit_for))
        .fetch_one(connection)
        .await?;
    Pruned::counted(&row)
}

pub(super) async fn find(
    connection: &mut SqliteConnection,
    retention: &Retention,
) -> Result<Candidates> {
    let now = now(connection).await?;
    let mut found = Candidates::default();
    let aged = [
        (Status::Completed, retention.completed_for),
        (Status::Failed, retention.failed_for),
        (Status::Cancelled, retention.failed_for),
    ];
    let batch_size = i64::from(retention.batch_size);
    for (status, max_age) in aged {
        let Some(max_age) = max_age else { continue };
        let rest = batch_size - signed(found.tasks.len());
        let aged = sqlx::query(sql("aged")).bind(status.name());
        let aged = aged.bind(before(now, max_age)).bind(rest);
        found.tasks.extend(fetch_json::<Vec<(Hex, i64)>>(connection, aged).await?);
    }
    if let (true, Some(max_count)) = (found.tasks.is_empty(), retention.ended_at_most) {
        let (count, counted): (i64, i64) =
            sqlx::query_as(COUNT_ENDED).fetch_one(&mut *connection).await?;
        found.is_miscounted = count != counted;
        let excess = excess(count, max_count).min(batch_size);
        found.tasks = fetch_json(connection, sqlx::query(sql("oldest")).bind(excess)).await?;
    }
    let Some(max_count) = retention.records_at_most else {
        return Ok(found);
    };
    for kind in RecordKind::ALL {
        let count = sqlx::query_scalar("SELECT count(*) FROM steadfast_records WHERE kind = ?1");
        let count = count.bind(kind.name());
        let count = count.fetch_one(&mut *connection).await?;
        found.records.push((kind, excess(count, max_count).min(batch_size)));
    }
    Ok(found)
}

/// The number of rows above the maximum.
fn excess(count: i64, max_count: u64) -> i64 {
    count.saturating_sub(signed(max_count)).max(0)
}

pub(super) async fn prune(
    connection: &mut SqliteConnection,
    candidates: &Candidates,
    retention: &Retention,
    now: i64,
) -> Result<Pruned> {
    if candidates.is_miscounted {
        sqlx::query(sql("recount")).execute(&mut *connection).await?;
    }
    let tasks = prune_tasks(connection, &candidates.tasks).await?;
    let faults = match retention.faults_for {
        Some(age) => prune_faults(connection, before(now, age), retention.batch_size).await?,
        None => 0,
    };
    let mut records = 0;
    if let Some(age) = retention.records_for {
        let batch_size = i64::from(retention.batch_size);
        for kind in RecordKind::ALL {
            records += prune_records(connection, kind, before(now, age), batch_size).await?;
        }
        sqlx::query(DELETE_ROLLUPS).bind(before(now, age)).execute(&mut *connection).await?;
    }
    for delete in DELETE_REPORTS {
        let delete = sqlx::query(delete).bind(before(now, WORKER_RETENTION));
        delete.execute(&mut *connection).await?;
    }
    for (kind, excess) in &candidates.records {
        records += prune_records(connection, *kind, i64::MAX, *excess).await?;
    }
    let audit = match retention.audit_for {
        Some(age) => prune_audit(connection, before(now, age), retention.batch_size, now).await?,
        None => 0,
    };
    Ok(Pruned { tasks, faults, records, executions: 0, audit })
}

async fn prune_tasks(connection: &mut SqliteConnection, tasks: &[(Hex, i64)]) -> Result<u64> {
    if tasks.is_empty() {
        return Ok(0);
    }
    let unchanged = sqlx::query_scalar(sql("unchanged")).bind(encode(&tasks)?);
    let unchanged: String = unchanged.fetch_one(&mut *connection).await?;
    let mut count = 0;
    for delete in DELETE_TASKS {
        count =
            sqlx::query(delete).bind(&unchanged).execute(&mut *connection).await?.rows_affected();
    }
    Ok(count)
}

/// Deletes compressed histories of tasks that stay.
async fn prune_faults(
    connection: &mut SqliteConnection,
    older_than: i64,
    limit: u32,
) -> Result<u64> {
    let old = sqlx::query(OLD_HISTORIES).bind(older_than).bind(limit);
    let old: Vec<(Hex, u64)> = fetch_json(connection, old).await?;
    let ids: Vec<_> = old.iter().map(|(id, _)| *id).collect();
    sqlx::query(DELETE_HISTORIES).bind(encode(&ids)?).execute(connection).await?;
    Ok(old.iter().map(|(_, faults)| faults).sum())
}

async fn prune_records(
    connection: &mut SqliteConnection,
    kind: RecordKind,
    older_than: i64,
    limit: i64,
) -> Result<u64> {
    let delete = sqlx::query(DELETE_RECORDS).bind(kind.name()).bind(older_than).bind(limit);
    Ok(delete.execute(connection).await?.rows_affected())
}

/// Deletes the oldest audit entries, and writes an entry about it.
async fn prune_audit(
    connection: &mut SqliteConnection,
    older_than: i64,
    limit: u32,
    now: i64,
) -> Result<u64> {
    let delete = sqlx::query_as(sql("audit")).bind(older_than).bind(limit);
    let pruned: Vec<(i64, String)> = delete.fetch_all(&mut *connection).await?;
    let entries = pruned.iter().map(|(number, action)| (*number, &**action));
    if let Some(entry) = AuditEntry::pruned(entries) {
        audit::audit(connection, &[entry], now).await?;
    }
    Ok(pruned.len() as u64)
}

/// Executions that can be deleted: all of them in a dry run, a batch otherwise.
pub(super) async fn find_executions(
    connection: &mut SqliteConnection,
    retention: &Retention,
    now: i64,
) -> Result<Vec<Hex>> {
    let batch_size = if retention.dry_run { i64::MAX } else { i64::from(retention.batch_size) };
    let found = sqlx::query(sql("executions"))
        .bind(retention.completed_for.map(|max_age| before(now, max_age)))
        .bind(retention.failed_for.map(|max_age| before(now, max_age)))
        .bind(retention.ended_at_most.map(signed))
        .bind(batch_size);
    fetch_json(connection, found).await
}

/// Deletes a batch of executions. They are found again, because one that was found before may
/// have been resumed since.
pub(super) async fn prune_executions(
    connection: &mut SqliteConnection,
    retention: &Retention,
    now: i64,
) -> Result<u64> {
    let old = encode(&find_executions(connection, retention, now).await?)?;
    let nodes =
        "DELETE FROM steadfast_nodes WHERE execution IN (SELECT unhex(value) FROM json_each(?1))";
    sqlx::query(nodes).bind(&old).execute(&mut *connection).await?;
    let executions =
        "DELETE FROM steadfast_executions WHERE id IN (SELECT unhex(value) FROM json_each(?1))";
    Ok(sqlx::query(executions).bind(&old).execute(connection).await?.rows_affected())
}
