//! Requeueing of finished tasks (D10, D16).

use std::time::Duration;

use sqlx::{QueryBuilder, SqliteConnection};

use super::row::{Hex, after, encode, fetch_json, timestamp};
use super::{filter, transitions};
use crate::control::{Requeue, Requeued};
use crate::engine::row::signed;
use crate::error::Result;
use crate::events::notifier::PendingWakes;
use crate::task::filter::Filter;

/// The number of tasks in one statement.
const MAX_STATEMENT_TASKS: usize = 5000;

/// The finished tasks that match a filter, oldest first.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    filter: &Filter,
    limit: Option<u64>,
) -> Result<Vec<Hex>> {
    let mut statement = QueryBuilder::new(match filter.ids {
        Some(_) => include_str!("sql/requeue_by_id.sql"),
        None => include_str!("sql/requeue_by_status.sql"),
    });
    match filter.status {
        Some(status) => statement.push("(").push_bind(status.name()).push(")"),
        None => statement.push("('completed', 'failed', 'cancelled')"),
    };
    filter::push(&mut statement, filter)?;
    let limit = limit.map_or(i64::MAX, signed);
    statement.push(" ORDER BY task.id LIMIT ").push_bind(limit).push(")");
    fetch_json(connection, statement.build()).await
}

/// Requeues finished tasks. The caller writes the audit entry.
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
        let mut chunk = chunk.to_vec();
        if requeue.keep_time {
            // Where the time that a task was scheduled for is later, that one.
            let due = sqlx::query(include_str!("sql/requeue_schedule.sql"));
            chunk = fetch_json(connection, due.bind(encode(&chunk)?)).await?;
        }
        chunk.iter().for_each(|(_, due_at)| wakes.note(timestamp(*due_at), *due_at <= now));
        move_to_queue(connection, &chunk, requeue.fresh, now).await?;
    }
    Ok((requeued, wakes))
}

async fn move_to_queue(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
    fresh: bool,
    now: i64,
) -> Result<()> {
    let ids: Vec<_> = due.iter().map(|(id, _)| *id).collect();
    let ids = encode(&ids)?;
    sqlx::query(include_str!("sql/requeue_attempts.sql"))
        .bind(&ids)
        .execute(&mut *connection)
        .await?;
    if fresh {
        sqlx::query(include_str!("sql/requeue_fresh.sql"))
            .bind(&ids)
            .bind(now)
            .execute(&mut *connection)
            .await?;
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
