//! Requeueing of ended tasks (D10, D16).

use std::time::Duration;

use sqlx::{QueryBuilder, SqliteConnection};

use super::row::{Hex, after, decode, encode, timestamp};
use super::{filter, transitions};
use crate::control::{Requeue, Requeued};
use crate::engine::PendingWakes;
use crate::error::Result;
use crate::task::filter::Filter;

const REQUEUE_BY_ID: &str = include_str!("sql/requeue_by_id.sql");
const REQUEUE_BY_STATUS: &str = include_str!("sql/requeue_by_status.sql");
const REQUEUE_ATTEMPTS: &str = include_str!("sql/requeue_attempts.sql");
const REQUEUE_FRESH: &str = include_str!("sql/requeue_fresh.sql");
const REQUEUE_SCHEDULE: &str = include_str!("sql/requeue_schedule.sql");

/// The number of tasks in one statement.
const MAX_STATEMENT_TASKS: usize = 5000;

/// The ended tasks that match a filter, oldest first.
async fn find(
    connection: &mut SqliteConnection,
    filter: &Filter,
    limit: Option<u64>,
) -> Result<Vec<Hex>> {
    let base = if filter.ids.is_some() { REQUEUE_BY_ID } else { REQUEUE_BY_STATUS };
    let mut statement = QueryBuilder::new(base);
    match filter.status {
        Some(status) => statement.push("(").push_bind(status.name()).push(")"),
        None => statement.push("('completed', 'failed', 'cancelled')"),
    };
    filter::push(&mut statement, filter)?;
    let limit = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
    statement.push(" ORDER BY task.id LIMIT ").push_bind(limit).push(")");
    let found: String = statement.build_query_scalar().fetch_one(connection).await?;
    decode(&found)
}

/// Counts the tasks that would be requeued.
pub(super) async fn count(
    connection: &mut SqliteConnection,
    filter: &Filter,
    requeue: &Requeue,
) -> Result<Requeued> {
    Ok(Requeued::of(find(connection, filter, requeue.limit).await?.len() as u64, requeue))
}

/// Requeues ended tasks. The caller writes the audit entry.
pub(super) async fn requeue(
    connection: &mut SqliteConnection,
    filter: &Filter,
    requeue: &Requeue,
    now: i64,
) -> Result<(Requeued, PendingWakes)> {
    let found = find(connection, filter, requeue.limit).await?;
    let mut wakes = PendingWakes::default();
    let requeued = Requeued::of(found.len() as u64, requeue);
    let due: Vec<_> =
        (0..).zip(found).map(|(index, id)| (id, due_at(index, requeue, now))).collect();
    for chunk in due.chunks(MAX_STATEMENT_TASKS) {
        let chunk = match requeue.keep_time {
            true => not_before_schedule(connection, chunk).await?,
            false => chunk.to_vec(),
        };
        chunk.iter().for_each(|(_, due_at)| wakes.note(timestamp(*due_at), *due_at <= now));
        move_to_queue(connection, &chunk, requeue.fresh, now).await?;
    }
    Ok((requeued, wakes))
}

/// The same with the time that each task was scheduled for, where that is later.
async fn not_before_schedule(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
) -> Result<Vec<(Hex, i64)>> {
    let due: String =
        sqlx::query_scalar(REQUEUE_SCHEDULE).bind(encode(&due)?).fetch_one(connection).await?;
    decode(&due)
}

async fn move_to_queue(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
    fresh: bool,
    now: i64,
) -> Result<()> {
    let ids: Vec<_> = due.iter().map(|(id, _)| *id).collect();
    let ids = encode(&ids)?;
    sqlx::query(REQUEUE_ATTEMPTS).bind(&ids).execute(&mut *connection).await?;
    if fresh {
        sqlx::query(REQUEUE_FRESH).bind(&ids).bind(now).execute(&mut *connection).await?;
    }
    transitions::remove_ended(connection, &ids).await?;
    transitions::set_due(connection, due, now).await?;
    transitions::enqueue(connection, &ids, now).await?;
    Ok(())
}

/// The due time at the requested rate, at a random moment of its interval.
fn due_at(index: u32, requeue: &Requeue, now: i64) -> i64 {
    let Some(rate) = requeue.per_second else {
        return now;
    };
    let seconds = (f64::from(index) + fastrand::f64()) / rate;
    after(now, Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
