//! Rollups of ended sessions by the minute (O1).

use sqlx::SqliteConnection;

use super::now;
use super::row::encode;
use crate::error::Result;
use crate::maintenance::rollup::{
    MINUTE_MICROS, Rollup, Window, completed_until, is_ahead, merge, minute_of, or_skipped,
};

/// Statements over single tasks and sessions.
const ROLLUP_SOURCES: [&str; 2] =
    [include_str!("sql/rollup_tasks.sql"), include_str!("sql/rollup_sessions.sql")];
const UNTIL: &str = "SELECT until FROM steadfast_summed";

/// Tasks and sessions that ended in a window.
pub(super) async fn rollups(
    connection: &mut SqliteConnection,
    from: i64,
    to: i64,
) -> Result<Vec<Rollup>> {
    let until = sqlx::query_scalar(UNTIL).fetch_one(&mut *connection).await?;
    let window = Window::split(from, to, until);
    let mut rollups = Vec::new();
    if let Some((first, end)) = window.minutes {
        rollups = read(connection, include_str!("sql/rollup_minutes.sql"), first, end).await?;
    }
    for (from, to) in window.rest {
        rollups.extend(aggregate(connection, from, to).await?);
    }
    Ok(rollups)
}

async fn aggregate(connection: &mut SqliteConnection, from: i64, to: i64) -> Result<Vec<Rollup>> {
    let mut rollups = Vec::new();
    for statement in ROLLUP_SOURCES {
        rollups.extend(read(connection, statement, from, to).await?);
    }
    Ok(rollups)
}

async fn read(
    connection: &mut SqliteConnection,
    statement: &'static str,
    from: i64,
    to: i64,
) -> Result<Vec<Rollup>> {
    Rollup::decode(&sqlx::query(statement).bind(from).bind(to).fetch_all(connection).await?)
}

/// A minute to write, and the next one.
pub(super) struct Minute {
    start: i64,
    next: i64,
    rollups: Vec<Rollup>,
}

/// Aggregates the next completed minute, if there is one.
pub(super) async fn next_minute(connection: &mut SqliteConnection) -> Result<Option<Minute>> {
    let completed = completed_until(now(connection).await?);
    let start: i64 = sqlx::query_scalar(UNTIL).fetch_one(&mut *connection).await?;
    if is_ahead(start, completed) {
        return Ok(Some(Minute { start, next: completed, rollups: Vec::new() }));
    }
    if start >= completed {
        return Ok(None);
    }
    let end = start + MINUTE_MICROS;
    let rollups = merge(or_skipped(start, aggregate(connection, start, end - 1).await)?);
    let next = match rollups.is_empty() {
        false => end,
        // Empty minutes are skipped.
        true => {
            let next: Option<i64> = sqlx::query_scalar(include_str!("sql/rollup_next.sql"))
                .bind(end)
                .fetch_one(connection)
                .await?;
            next.map_or(completed, |next| minute_of(next).min(completed))
        }
    };
    Ok(Some(Minute { start, next, rollups }))
}

/// Writes the rollups of a minute, unless another process has.
pub(super) async fn write(connection: &mut SqliteConnection, minute: &Minute) -> Result<()> {
    let Minute { start, next, rollups } = minute;
    let advance = "UPDATE steadfast_summed SET until = ?2 WHERE until = ?1";
    let advanced = sqlx::query(advance).bind(start).bind(next).execute(&mut *connection).await?;
    if advanced.rows_affected() == 0 {
        return Ok(());
    }
    if next < start {
        let delete = "DELETE FROM steadfast_sums WHERE minute >= ?1";
        sqlx::query(delete).bind(next).execute(&mut *connection).await?;
    }
    if rollups.is_empty() {
        return Ok(());
    }
    let row = |one: &Rollup| {
        let (policy, subsystem) = (one.policy_id.clone(), one.subsystem.clone());
        let seconds = one.duration.as_secs_f64();
        (policy, subsystem, one.sessions, one.successful, one.attempts, one.most_attempts, seconds)
    };
    let rows = encode(&rollups.iter().map(row).collect::<Vec<_>>())?;
    sqlx::query(include_str!("sql/rollup.sql")).bind(rows).bind(start).execute(connection).await?;
    Ok(())
}
