//! Rollups of ended sessions by the minute (O1).

use jiff::Timestamp;
use sqlx::{Connection as _, PgConnection};

use super::Postgres;
use super::row::column;
use crate::engine::row::signed;
use crate::engine::time::Time;
use crate::error::Result;
use crate::maintenance::rollup::{
    MINUTE_MICROS, Rollup, Window, completed_until, is_ahead, merge, minute_of, or_skipped,
};

/// Statements over single tasks and sessions.
const ROLLUP_SOURCES: [&str; 2] =
    [include_str!("sql/rollup_tasks.sql"), include_str!("sql/rollup_sessions.sql")];

/// Tasks and sessions that ended in a window.
pub(super) async fn rollups(
    engine: &Postgres,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<Rollup>> {
    let mut connection = engine.pool.acquire().await?;
    let until = sqlx::query_scalar("SELECT until FROM steadfast.summed");
    let until = until.fetch_one(&mut *connection).await?;
    let window = Window::split(from.as_microsecond(), to.as_microsecond(), until);
    let mut rollups = Vec::new();
    if let Some((first, end)) = window.minutes {
        let rows = sqlx::query(include_str!("sql/rollup_minutes.sql")).bind(first).bind(end);
        rollups = Rollup::decode(&rows.fetch_all(&mut *connection).await?)?;
    }
    for (from, to) in window.rest {
        rollups.extend(aggregate(&mut connection, from, to).await?);
    }
    Ok(rollups)
}

/// Aggregates the next completed minute, unless another instance is doing so.
pub(super) async fn rollup(engine: &Postgres) -> Result<bool> {
    let completed = completed_until(engine.database_time().await?.as_microsecond());
    let mut connection = engine.pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    let lock = "SELECT until FROM steadfast.summed FOR UPDATE SKIP LOCKED";
    let minute = sqlx::query_scalar(lock).fetch_optional(&mut *transaction).await?;
    let next = match minute {
        Some(minute) if is_ahead(minute, completed) => {
            let delete = "DELETE FROM steadfast.sums WHERE minute >= $1";
            sqlx::query(delete).bind(completed).execute(&mut *transaction).await?;
            completed
        }
        Some(minute) if minute < completed => {
            rollup_minute(&mut transaction, minute, completed).await?
        }
        _ => return Ok(false),
    };
    let advance = "UPDATE steadfast.summed SET until = $1";
    sqlx::query(advance).bind(next).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(true)
}

/// Aggregates a minute, and returns the next one.
async fn rollup_minute(connection: &mut PgConnection, minute: i64, completed: i64) -> Result<i64> {
    let end = minute + MINUTE_MICROS;
    let rollups = or_skipped(minute, write_minute(connection, minute).await)?;
    if !rollups.is_empty() {
        return Ok(end);
    }
    // Empty minutes are skipped.
    let next = "SELECT least( \
             (SELECT min(ended_at) FROM steadfast.ended WHERE ended_at >= $1), \
             (SELECT min(at) FROM steadfast.records WHERE kind = 'session' AND at >= $1))";
    let next = sqlx::query_scalar(next).bind(Time::from_micros(end));
    let next: Option<Time> = next.fetch_one(connection).await?;
    Ok(next.map_or(completed, |next| minute_of(next.0.as_microsecond()).min(completed)))
}

async fn aggregate(connection: &mut PgConnection, from: i64, to: i64) -> Result<Vec<Rollup>> {
    let mut rollups = Vec::new();
    for statement in ROLLUP_SOURCES {
        let rows = sqlx::query(statement).bind(Time::from_micros(from)).bind(Time::from_micros(to));
        rollups.extend(Rollup::decode(&rows.fetch_all(&mut *connection).await?)?);
    }
    Ok(rollups)
}

/// Writes the rollups of a minute, all or none.
async fn write_minute(connection: &mut PgConnection, minute: i64) -> Result<Vec<Rollup>> {
    let mut transaction = connection.begin().await?;
    let rollups = merge(aggregate(&mut transaction, minute, minute + MINUTE_MICROS - 1).await?);
    insert(&mut transaction, minute, &rollups).await?;
    transaction.commit().await?;
    Ok(rollups)
}

async fn insert(connection: &mut PgConnection, minute: i64, rollups: &[Rollup]) -> Result<()> {
    if rollups.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("sql/rollup.sql"))
        .bind(minute)
        .bind(column(rollups, |rollup| rollup.policy_id.as_str()))
        .bind(column(rollups, |rollup| rollup.subsystem.as_str()))
        .bind(column(rollups, |rollup| signed(rollup.sessions)))
        .bind(column(rollups, |rollup| signed(rollup.successful)))
        .bind(column(rollups, |rollup| signed(rollup.attempts)))
        .bind(column(rollups, |rollup| signed(rollup.most_attempts)))
        .bind(column(rollups, |rollup| rollup.duration.as_secs_f64()))
        .execute(connection)
        .await?;
    Ok(())
}
