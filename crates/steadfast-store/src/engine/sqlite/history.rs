//! The histories of tasks: faults and progress (D8).
//!
//! A fault is one row of JSON. Long after the end of a task its faults are compressed into one
//! blob; a reader sees no difference.

use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use steadfast::decide::Progress;

use super::row::{Hex, decode, encode, micros, timestamp};
use crate::error::Result;
use crate::queue::submit::PriorAttempts;
use crate::task::decode_error::DecodeErrors;
use crate::task::faults;
use crate::task::{FaultRecord, TaskId};

const ADD: &str = concat!(
    include_str!("sql/history_add_faults.sql"),
    ";",
    include_str!("sql/history_add_progress.sql")
);
const BEGIN_FAULTS: &str = "INSERT INTO steadfast_faults (id, number, at, body) \
     SELECT ?1, fault.key + 1, fault.value ->> 0, fault.value ->> 1 FROM json_each(?2) AS fault";
const BEGIN_PROGRESS: &str = include_str!("sql/history_begin_progress.sql");

/// The progress of a task, and the fault of its attempt, if there was one.
#[derive(Debug)]
pub(super) struct Step<'s> {
    pub(super) id: TaskId,
    pub(super) progress: Progress,
    pub(super) fault: Option<&'s FaultRecord>,
}

#[derive(Serialize)]
struct StepRow<'s> {
    id: Hex,
    attempts: u32,
    rate_limit_waits: u32,
    previous: i64,
    fault: Option<String>,
    class: Option<&'static str>,
    message: Option<&'s str>,
}

/// Writes steps.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    steps: &[Step<'_>],
    now: i64,
) -> Result<()> {
    let rows: Vec<_> = steps.iter().map(Step::row).collect::<Result<_>>()?;
    sqlx::query(ADD).bind(encode(&rows)?).bind(now).execute(connection).await?;
    Ok(())
}

impl Step<'_> {
    fn row(&self) -> Result<StepRow<'_>> {
        Ok(StepRow {
            id: Hex(self.id),
            attempts: self.progress.attempts,
            rate_limit_waits: self.progress.rate_limit_waits,
            previous: i64::try_from(self.progress.previous).unwrap_or(i64::MAX),
            fault: self.fault.map(encode).transpose()?,
            class: self.fault.map(|fault| fault.class.name()),
            message: self.fault.map(|fault| fault.message.as_str()),
        })
    }
}

/// Writes the prior attempts of a new task.
pub(super) async fn begin(
    connection: &mut SqliteConnection,
    id: TaskId,
    prior: &PriorAttempts,
) -> Result<()> {
    let faults = prior.faults.iter().map(|fault| Ok((micros(fault.at), encode(fault)?)));
    let faults = encode(&faults.collect::<Result<Vec<_>>>()?)?;
    sqlx::query(BEGIN_FAULTS).bind(id.uuid()).bind(faults).execute(&mut *connection).await?;
    let last = prior.faults.last();
    sqlx::query(BEGIN_PROGRESS)
        .bind(id.uuid())
        .bind(prior.progress.attempts)
        .bind(prior.progress.rate_limit_waits)
        .bind(i64::try_from(prior.progress.previous).unwrap_or(i64::MAX))
        .bind(i64::try_from(prior.faults.len()).unwrap_or(i64::MAX))
        .bind(last.map(|fault| micros(fault.at)))
        .bind(last.map(|fault| fault.class.name()))
        .bind(last.map(|fault| fault.message.as_str()))
        .execute(connection)
        .await?;
    Ok(())
}

/// A fault in rows: its time, and the rest as JSON.
#[derive(Deserialize)]
struct FaultRow(i64, String);

/// The faults of a task, from its blob, if it has one, and from its rows.
pub(super) fn faults(
    row: &SqliteRow,
    id: TaskId,
    errors: &mut DecodeErrors,
) -> Result<Vec<FaultRecord>> {
    let compressed: Option<&[u8]> = row.try_get("packed")?;
    let rows: Vec<FaultRow> = decode(row.try_get("faults")?)?;
    let rows = rows.into_iter().map(|FaultRow(at, body)| (timestamp(at), body));
    faults::faults(id, compressed, rows, errors)
}
