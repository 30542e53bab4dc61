//! The schema, and the leases and backlogs of its tasks.

use std::time::Duration;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::engine::sqlite::migrate::SCHEMA_VERSION;
use crate::engine::sqlite::{now, row};
use crate::error::Result;
use crate::health::{Fact, Lapsed, Schema, Unavailable, Work};

const HAS_SCHEMA: &str = "SELECT count(*) FROM sqlite_schema WHERE name = 'steadfast_schema'";
const VERSION: &str = "SELECT coalesce(max(version), 0) FROM steadfast_schema";
const LEASES: &str = include_str!("../sql/health_leases.sql");
const BACKLOGS: &str = include_str!("../sql/worker_status_backlogs.sql");
/// The last written task, because no index has the latest time.
const NEWEST: &str = "SELECT submitted_at FROM steadfast_tasks ORDER BY rowid DESC LIMIT 1";

/// The number of workers that are named.
const MAX_NAMED_WORKERS: usize = 3;

pub(super) async fn schema(connection: &mut SqliteConnection) -> Fact<Schema> {
    let tables: i64 = sqlx::query_scalar(HAS_SCHEMA).fetch_one(&mut *connection).await?;
    let found = match tables {
        0 => 0,
        _ => sqlx::query_scalar(VERSION).fetch_one(connection).await?,
    };
    Ok(Schema { found, known: SCHEMA_VERSION })
}

pub(super) async fn work(connection: &mut SqliteConnection) -> Fact<Work> {
    let now = time(connection).await?;
    let leases = sqlx::query(LEASES).bind(now).fetch_one(&mut *connection).await?;
    let mut work = Work {
        alive: leases.try_get::<i64, _>("alive")?.unsigned_abs(),
        lapsed: lapsed(&leases)?,
        ..Work::default()
    };
    for row in sqlx::query(BACKLOGS).bind(now).fetch_all(connection).await? {
        if let Some(since) = row.try_get::<Option<i64>, _>("due_since")? {
            work.add_backlog(row.try_get("name")?, row.try_get("paused")?, micros(now - since));
        }
    }
    Ok(work)
}

fn lapsed(row: &SqliteRow) -> Fact<Option<Lapsed>> {
    let leases = row.try_get::<i64, _>("lapsed")?.unsigned_abs();
    if leases == 0 {
        return Ok(None);
    }
    let mut workers: Vec<String> = fact(row::decode(row.try_get("workers")?))?;
    workers.truncate(MAX_NAMED_WORKERS);
    let tasks = row.try_get::<i64, _>("tasks")?.unsigned_abs();
    Ok(Some(Lapsed { leases, tasks, longest: micros(row.try_get("longest")?), workers }))
}

/// How far in the future the newest task was submitted, if it was.
pub(super) async fn ahead(connection: &mut SqliteConnection) -> Fact<Option<Duration>> {
    let newest: Option<i64> = sqlx::query_scalar(NEWEST).fetch_optional(&mut *connection).await?;
    let now = time(connection).await?;
    Ok(newest.filter(|newest| *newest > now).map(|newest| micros(newest - now)))
}

async fn time(connection: &mut SqliteConnection) -> Fact<i64> {
    fact(now(connection).await)
}

fn fact<T>(result: Result<T>) -> Fact<T> {
    result.map_err(|error| Unavailable::new(error.to_string()))
}

fn micros(micros: i64) -> Duration {
    Duration::from_micros(micros.try_into().unwrap_or(0))
}
