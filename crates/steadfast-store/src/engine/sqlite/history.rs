//! The histories of tasks: faults and progress (D8).
//!
//! A fault is one row of JSON. Long after the end of a task its faults are compressed into one
//! blob; a reader sees no difference.

use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use steadfast::decide::Progress;

use super::row::{Hex, decode, encode, timestamp};
use crate::engine::row::signed;
use crate::error::Result;
use crate::queue::submit::PriorAttempts;
use crate::task::decode_error::{DecodeErrors, decode_faults};
use crate::task::{FaultRecord, TaskId};

const ADD: &str = concat!(
    include_str!("sql/history_add_faults.sql"),
    ";",
    include_str!("sql/history_add_progress.sql")
);
const BEGIN_FAULTS: &str = "INSERT INTO steadfast_faults (id, number, at, body) \
     SELECT ?1, fault.key + 1, fault.value ->> 0, fault.value ->> 1 FROM json_each(?2) AS fault";

/// The progress of a task, and the fault of its attempt, if there was one, as JSON.
#[derive(Serialize)]
pub(super) struct Step<'s> {
    id: Hex,
    attempts: u32,
    rate_limit_waits: u32,
    previous: i64,
    fault: Option<String>,
    class: Option<&'static str>,
    message: Option<&'s str>,
}

impl<'s> Step<'s> {
    pub(super) fn new(
        id: TaskId,
        progress: &Progress,
        fault: Option<&'s FaultRecord>,
    ) -> Result<Self> {
        Ok(Self {
            id: Hex(id),
            attempts: progress.attempts,
            rate_limit_waits: progress.rate_limit_waits,
            previous: signed(progress.previous),
            fault: fault.map(encode).transpose()?,
            class: fault.map(|fault| fault.class.name()),
            message: fault.map(|fault| fault.message.as_str()),
        })
    }
}

pub(super) async fn add(
    connection: &mut SqliteConnection,
    steps: &[Step<'_>],
    now: i64,
) -> Result<()> {
    sqlx::query(ADD).bind(encode(&steps)?).bind(now).execute(connection).await?;
    Ok(())
}

/// Writes the prior attempts of a new task.
pub(super) async fn begin(
    connection: &mut SqliteConnection,
    id: TaskId,
    prior: &PriorAttempts,
) -> Result<()> {
    let faults = prior.faults.iter().map(|fault| Ok((fault.at.as_microsecond(), encode(fault)?)));
    let faults = encode(&faults.collect::<Result<Vec<_>>>()?)?;
    sqlx::query(BEGIN_FAULTS).bind(id.uuid()).bind(faults).execute(&mut *connection).await?;
    let last = prior.faults.last();
    sqlx::query(include_str!("sql/history_begin_progress.sql"))
        .bind(id.uuid())
        .bind(prior.progress.attempts)
        .bind(prior.progress.rate_limit_waits)
        .bind(signed(prior.progress.previous))
        .bind(signed(prior.faults.len()))
        .bind(last.map(|fault| fault.at.as_microsecond()))
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
    decode_faults(id, compressed, rows, errors)
}
