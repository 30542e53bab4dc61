//! What ended within a window of time, summed up (O1).

use jiff::Timestamp;
use sqlx::{Connection as _, PgConnection};

use super::Postgres;
use super::time::Time;
use crate::error::Result;
use crate::maintenance::rollup::{
    Cut, MINUTE, Rollup, cut, is_ahead, merged, minute_of, or_left_out, over, summed,
};

const ONE_BY_ONE: [&str; 2] =
    [include_str!("sql/figures_tasks.sql"), include_str!("sql/figures_sessions.sql")];
const MINUTES: &str = include_str!("sql/figures_minutes.sql");
const UNTIL: &str = include_str!("sql/sums_until.sql");
const CLAIM: &str = include_str!("sql/sums_claim.sql");
const NEXT: &str = include_str!("sql/sums_next.sql");
const MOVE_ON: &str = include_str!("sql/sums_move_on.sql");
const ADD: &str = include_str!("sql/sums_add.sql");
const PUT_BACK: &str = include_str!("sql/sums_put_back.sql");

impl Postgres {
    /// Tasks and sessions of processes, from one time to another.
    pub(super) async fn add_up(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        let mut connection = self.pool.acquire().await?;
        let until = sqlx::query_scalar(UNTIL).fetch_one(&mut *connection).await?;
        let Cut { minutes, rest } = cut(from.as_microsecond(), to.as_microsecond(), until);
        let mut sums = Vec::new();
        if let Some((first, end)) = minutes {
            let rows = sqlx::query(MINUTES).bind(first).bind(end);
            for row in &rows.fetch_all(&mut *connection).await? {
                sums.push(summed!(row)?);
            }
        }
        for (from, to) in rest {
            sums.extend(one_by_one(&mut connection, from, to).await?);
        }
        Ok(sums)
    }

    /// Adds up the next minute that is over, unless somebody else is at it.
    pub(super) async fn sum_up_next(&self) -> Result<bool> {
        let over = over(self.database_time().await?.as_microsecond());
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin().await?;
        let begins = sqlx::query_scalar(CLAIM).fetch_optional(&mut *transaction).await?;
        let next = match begins {
            Some(begins) if is_ahead(begins, over) => {
                sqlx::query(PUT_BACK).bind(over).execute(&mut *transaction).await?;
                over
            }
            Some(begins) if begins < over => sum_up_from(&mut transaction, begins, over).await?,
            _ => return Ok(false),
        };
        sqlx::query(MOVE_ON).bind(next).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Sums up a minute; the one to go on with.
async fn sum_up_from(connection: &mut PgConnection, begins: i64, over: i64) -> Result<i64> {
    let ends = begins + MINUTE;
    let sums = or_left_out(begins, add_up_minute(connection, begins).await)?;
    if !sums.is_empty() {
        return Ok(ends);
    }
    // Nights and holidays are stepped over.
    let next: Option<Time> =
        sqlx::query_scalar(NEXT).bind(time(ends)).fetch_one(connection).await?;
    Ok(next.map_or(over, |next| minute_of(next.0.as_microsecond()).min(over)))
}

fn time(micros: i64) -> Time {
    Time(Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX))
}

async fn one_by_one(connection: &mut PgConnection, from: i64, to: i64) -> Result<Vec<Rollup>> {
    let mut sums = Vec::new();
    for statement in ONE_BY_ONE {
        let rows = sqlx::query(statement).bind(time(from)).bind(time(to));
        for row in &rows.fetch_all(&mut *connection).await? {
            sums.push(summed!(row)?);
        }
    }
    Ok(sums)
}

/// Writes what ended in a minute, or takes back what was written of it.
async fn add_up_minute(connection: &mut PgConnection, begins: i64) -> Result<Vec<Rollup>> {
    let mut transaction = connection.begin().await?;
    let sums = merged(one_by_one(&mut transaction, begins, begins + MINUTE - 1).await?);
    write(&mut transaction, begins, &sums).await?;
    transaction.commit().await?;
    Ok(sums)
}

async fn write(connection: &mut PgConnection, minute: i64, sums: &[Rollup]) -> Result<()> {
    if sums.is_empty() {
        return Ok(());
    }
    let column = |count: fn(&Rollup) -> u64| -> Vec<i64> {
        sums.iter().map(|sum| i64::try_from(count(sum)).unwrap_or(i64::MAX)).collect()
    };
    sqlx::query(ADD)
        .bind(minute)
        .bind(sums.iter().map(|sum| sum.policy_id.as_str()).collect::<Vec<_>>())
        .bind(sums.iter().map(|sum| sum.subsystem.as_str()).collect::<Vec<_>>())
        .bind(column(|sum| sum.sessions))
        .bind(column(|sum| sum.successful))
        .bind(column(|sum| sum.attempts))
        .bind(column(|sum| sum.most_attempts))
        .bind(sums.iter().map(|sum| sum.duration.as_secs_f64()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
