//! What ended within a window of time, summed up (O1).

use serde::Serialize;
use sqlx::SqliteConnection;

use super::now;
use super::row::json;
use crate::error::Result;
use crate::maintenance::rollup::{
    Cut, MINUTE, Rollup, cut, is_ahead, merged, minute_of, or_left_out, over, summed,
};

const ONE_BY_ONE: [&str; 2] =
    [include_str!("sql/figures_tasks.sql"), include_str!("sql/figures_sessions.sql")];
const MINUTES: &str = include_str!("sql/figures_minutes.sql");
const UNTIL: &str = include_str!("sql/sums_until.sql");
const NEXT: &str = include_str!("sql/sums_next.sql");
const MOVE_ON: &str = include_str!("sql/sums_move_on.sql");
const ADD: &str = include_str!("sql/sums_add.sql");
const PUT_BACK: &str = include_str!("sql/sums_put_back.sql");

/// Tasks and sessions of processes, from one time to another.
pub(super) async fn sums(
    connection: &mut SqliteConnection,
    from: i64,
    to: i64,
) -> Result<Vec<Rollup>> {
    let until = sqlx::query_scalar(UNTIL).fetch_one(&mut *connection).await?;
    let Cut { minutes, rest } = cut(from, to, until);
    let mut sums = Vec::new();
    if let Some((first, end)) = minutes {
        read(connection, MINUTES, first, end, &mut sums).await?;
    }
    for (from, to) in rest {
        sums.extend(one_by_one(connection, from, to).await?);
    }
    Ok(sums)
}

async fn one_by_one(connection: &mut SqliteConnection, from: i64, to: i64) -> Result<Vec<Rollup>> {
    let mut sums = Vec::new();
    for statement in ONE_BY_ONE {
        read(connection, statement, from, to, &mut sums).await?;
    }
    Ok(sums)
}

async fn read(
    connection: &mut SqliteConnection,
    statement: &'static str,
    from: i64,
    to: i64,
    sums: &mut Vec<Rollup>,
) -> Result<()> {
    for row in &sqlx::query(statement).bind(from).bind(to).fetch_all(connection).await? {
        sums.push(summed!(row)?);
    }
    Ok(())
}

/// The next minute, and what ended in it.
pub(super) struct Minute {
    begins: i64,
    next: i64,
    sums: Vec<Rollup>,
}

/// A sum as JSON.
#[derive(Serialize)]
struct Row<'s>(&'s str, &'s str, u64, u64, u64, u64, f64);

impl<'s> From<&'s Rollup> for Row<'s> {
    fn from(sum: &'s Rollup) -> Self {
        let Rollup { policy_id, subsystem, sessions, successful, attempts, most_attempts, .. } =
            sum;
        let seconds = sum.duration.as_secs_f64();
        Self(policy_id, subsystem, *sessions, *successful, *attempts, *most_attempts, seconds)
    }
}

/// Adds up the next minute that is over, if there is one.
pub(super) async fn next_minute(connection: &mut SqliteConnection) -> Result<Option<Minute>> {
    let over = over(now(connection).await?);
    let begins: i64 = sqlx::query_scalar(UNTIL).fetch_one(&mut *connection).await?;
    if is_ahead(begins, over) {
        return Ok(Some(Minute { begins, next: over, sums: Vec::new() }));
    }
    if begins >= over {
        return Ok(None);
    }
    let ends = begins + MINUTE;
    let sums = merged(or_left_out(begins, one_by_one(connection, begins, ends - 1).await)?);
    let next = match sums.is_empty() {
        false => ends,
        // Nights and holidays are stepped over.
        true => {
            let next: Option<i64> =
                sqlx::query_scalar(NEXT).bind(ends).fetch_one(connection).await?;
            next.map_or(over, |next| minute_of(next).min(over))
        }
    };
    Ok(Some(Minute { begins, next, sums }))
}

/// Writes the sums of a minute, unless somebody else did.
pub(super) async fn write(connection: &mut SqliteConnection, minute: &Minute) -> Result<()> {
    let Minute { begins, next, sums } = minute;
    let moved = sqlx::query(MOVE_ON).bind(begins).bind(next).execute(&mut *connection).await?;
    if moved.rows_affected() == 0 {
        return Ok(());
    }
    if next < begins {
        sqlx::query(PUT_BACK).bind(next).execute(&mut *connection).await?;
    }
    if sums.is_empty() {
        return Ok(());
    }
    let rows = json(&sums.iter().map(Row::from).collect::<Vec<_>>())?;
    sqlx::query(ADD).bind(rows).bind(begins).execute(connection).await?;
    Ok(())
}
