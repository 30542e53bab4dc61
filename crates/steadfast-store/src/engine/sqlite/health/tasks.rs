//! The schema, and the leases and backlogs of its tasks.

use std::time::Duration;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use crate::engine::row::EngineRow;
use crate::engine::sqlite::migrate::{self, SCHEMA_VERSION};
use crate::engine::sqlite::now;
use crate::engine::sqlite::read::BACKLOGS;
use crate::error::Result;
use crate::health::{Fact, Lapsed, Schema, Unavailable, Work};

/// The last written task, because no index has the latest time.
const NEWEST: &str = "SELECT submitted_at FROM steadfast_tasks ORDER BY rowid DESC LIMIT 1";

const MAX_NAMED_WORKERS: usize = 3;

pub(super) async fn schema(connection: &mut SqliteConnection) -> Fact<Schema> {
    Ok(Schema { found: fact(migrate::version(connection).await)?, known: SCHEMA_VERSION })
}

pub(super) async fn work(connection: &mut SqliteConnection) -> Fact<Work> {
    let now = time(connection).await?;
    let leases = sqlx::query(include_str!("../sql/health_leases.sql")).bind(now);
    let leases = leases.fetch_one(&mut *connection).await?;
    let (alive, lapsed) = (leases.count("alive")?, lapsed(&leases)?);
    let mut work = Work { alive, lapsed, ..Work::default() };
    for row in sqlx::query(BACKLOGS).bind(now).fetch_all(connection).await? {
        if let Some(since) = row.get::<Option<i64>>("due_since")? {
            work.add_backlog(row.get("name")?, row.get("paused")?, micros(now - since));
        }
    }
    Ok(work)
}

fn lapsed(row: &SqliteRow) -> Fact<Option<Lapsed>> {
    let leases = row.count("lapsed")?;
    if leases == 0 {
        return Ok(None);
    }
    let mut workers: Vec<String> = fact(row.json("workers"))?;
    workers.truncate(MAX_NAMED_WORKERS);
    let longest = micros(row.get("longest")?);
    Ok(Some(Lapsed { leases, tasks: row.count("tasks")?, longest, workers }))
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
