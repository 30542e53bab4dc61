//! Having ended tasks tried again (D10, D16).

use std::time::Duration;

use sqlx::{QueryBuilder, SqliteConnection};

use super::pending_wakes::News;
use super::row::{Hex, after, json, read};
use super::{audit, filter, transitions};
use crate::audit::AuditEntry;
use crate::control::{Actor, Requeue, Requeued};
use crate::error::Result;
use crate::task::filter::Filter;

const BY_ID: &str = include_str!("sql/requeue_by_id.sql");
const BY_STATUS: &str = include_str!("sql/requeue_by_status.sql");
const COUNT: &str = include_str!("sql/requeue_count.sql");
const FRESH: &str = include_str!("sql/requeue_fresh.sql");
const KEPT_TIME: &str = include_str!("sql/requeue_kept_time.sql");

/// How many are moved in one statement.
const AT_ONCE: usize = 5000;

/// Which ended tasks a filter means, oldest first.
async fn find(
    connection: &mut SqliteConnection,
    wanted: &Filter,
    limit: Option<u64>,
) -> Result<Vec<Hex>> {
    let base = if wanted.ids.is_some() { BY_ID } else { BY_STATUS };
    let mut statement = QueryBuilder::new(base);
    match wanted.status {
        Some(status) => statement.push("(").push_bind(status.name()).push(")"),
        None => statement.push("('completed', 'failed', 'cancelled')"),
    };
    filter::push(&mut statement, wanted)?;
    let limit = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
    statement.push(" ORDER BY task.id LIMIT ").push_bind(limit).push(")");
    let found: String = statement.build_query_scalar().fetch_one(connection).await?;
    read(&found)
}

/// Says what requeueing would do.
pub(super) async fn rehearse(
    connection: &mut SqliteConnection,
    wanted: &Filter,
    how: &Requeue,
) -> Result<Requeued> {
    Ok(Requeued::of(find(connection, wanted, how.limit).await?.len() as u64, how))
}

/// Puts the tasks that are meant back into the lines.
pub(super) async fn requeue(
    connection: &mut SqliteConnection,
    wanted: &Filter,
    how: &Requeue,
    by: Actor,
    now: i64,
) -> Result<(Requeued, News)> {
    let (requeued, news) = put_back(connection, wanted, how, now).await?;
    if requeued.count == 0 {
        return Ok((requeued, news));
    }
    let mut entry = AuditEntry::new(by, "tasks.requeue").detail(how.detail(wanted, requeued));
    if let Some([id]) = wanted.ids.as_deref() {
        entry = entry.target(id);
    }
    audit::audit(connection, &entry, now).await?;
    Ok((requeued, news))
}

/// The same, for who writes down himself who wanted it.
pub(super) async fn put_back(
    connection: &mut SqliteConnection,
    wanted: &Filter,
    how: &Requeue,
    now: i64,
) -> Result<(Requeued, News)> {
    let found = find(connection, wanted, how.limit).await?;
    let mut news = News::default();
    let requeued = Requeued::of(found.len() as u64, how);
    let due: Vec<_> = (0..).zip(found).map(|(place, id)| (id, due_at(place, how, now))).collect();
    for some in due.chunks(AT_ONCE) {
        let some = match how.keep_time {
            true => no_earlier_than_it_was(connection, some).await?,
            false => some.to_vec(),
        };
        some.iter().for_each(|(_, due_at)| news.note(*due_at, now));
        move_back(connection, &some, how.fresh, now).await?;
    }
    Ok((requeued, news))
}

/// The same with the time that each was going to be due, where that is later.
async fn no_earlier_than_it_was(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
) -> Result<Vec<(Hex, i64)>> {
    let kept: String =
        sqlx::query_scalar(KEPT_TIME).bind(json(&due)?).fetch_one(connection).await?;
    read(&kept)
}

async fn move_back(
    connection: &mut SqliteConnection,
    due: &[(Hex, i64)],
    fresh: bool,
    now: i64,
) -> Result<()> {
    let ids: Vec<_> = due.iter().map(|(id, _)| *id).collect();
    let ids = json(&ids)?;
    sqlx::query(COUNT).bind(&ids).execute(&mut *connection).await?;
    if fresh {
        sqlx::query(FRESH).bind(&ids).bind(now).execute(&mut *connection).await?;
    }
    transitions::leave_ended(connection, &ids).await?;
    transitions::set_due(connection, due, now).await?;
    transitions::enter(connection, &ids, now).await?;
    Ok(())
}

/// One after the other at the wished rate, each at a random moment of its turn.
fn due_at(place: u32, how: &Requeue, now: i64) -> i64 {
    let Some(rate) = how.per_second else {
        return now;
    };
    let seconds = (f64::from(place) + fastrand::f64()) / rate;
    after(now, Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
