//! The schema, and who works on the tasks in it.

use std::time::Duration;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::engine::sqlite::migrate::KNOWN;
use crate::engine::sqlite::{now, row};
use crate::error::Result;
use crate::health::{Lapsed, Schema, Seen, Unseen, Work};

const HAS_SCHEMA: &str = include_str!("../sql/health_has_schema.sql");
const VERSION: &str = include_str!("../sql/schema_version.sql");
const LEASES: &str = include_str!("../sql/health_leases.sql");
const LINES: &str = include_str!("../sql/lines.sql");
const NEWEST: &str = include_str!("../sql/health_newest.sql");

/// How many workers are named.
const NAMED: usize = 3;

pub(super) async fn schema(connection: &mut SqliteConnection) -> Seen<Schema> {
    let tables: i64 = sqlx::query_scalar(HAS_SCHEMA).fetch_one(&mut *connection).await?;
    let found = match tables {
        0 => 0,
        _ => sqlx::query_scalar(VERSION).fetch_one(connection).await?,
    };
    Ok(Schema { found, known: KNOWN })
}

pub(super) async fn work(connection: &mut SqliteConnection) -> Seen<Work> {
    let now = time(connection).await?;
    let leases = sqlx::query(LEASES).bind(now).fetch_one(&mut *connection).await?;
    let mut work = Work {
        alive: leases.try_get::<i64, _>("alive")?.unsigned_abs(),
        lapsed: lapsed(&leases)?,
        ..Work::default()
    };
    for row in sqlx::query(LINES).bind(now).fetch_all(connection).await? {
        if let Some(since) = row.try_get::<Option<i64>, _>("due_since")? {
            work.line(row.try_get("name")?, row.try_get("paused")?, micros(now - since));
        }
    }
    Ok(work)
}

fn lapsed(row: &SqliteRow) -> Seen<Option<Lapsed>> {
    let leases = row.try_get::<i64, _>("lapsed")?.unsigned_abs();
    if leases == 0 {
        return Ok(None);
    }
    let mut workers: Vec<String> = seen(row::read(row.try_get("workers")?))?;
    workers.truncate(NAMED);
    let tasks = row.try_get::<i64, _>("tasks")?.unsigned_abs();
    Ok(Some(Lapsed { leases, tasks, longest: micros(row.try_get("longest")?), workers }))
}

/// How far in the future the newest task was submitted, if it was.
pub(super) async fn ahead(connection: &mut SqliteConnection) -> Seen<Option<Duration>> {
    let newest: Option<i64> = sqlx::query_scalar(NEWEST).fetch_optional(&mut *connection).await?;
    let now = time(connection).await?;
    Ok(newest.filter(|newest| *newest > now).map(|newest| micros(newest - now)))
}

async fn time(connection: &mut SqliteConnection) -> Seen<i64> {
    seen(now(connection).await)
}

fn seen<T>(result: Result<T>) -> Seen<T> {
    result.map_err(|error| Unseen::because(error.to_string()))
}

fn micros(micros: i64) -> Duration {
    Duration::from_micros(micros.try_into().unwrap_or(0))
}
