//! What a task went through: every fault, and how far it has come (D8).
//!
//! A fault is one row of JSON while its task lives. Long after the end they are packed into one
//! compressed blob; whoever reads them cannot tell.

use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use steadfast::decide::Progress;

use super::row::{Hex, json, micros, read, timestamp};
use crate::error::Result;
use crate::queue::submit::HeadStart;
use crate::task::decode_error::Damage;
use crate::task::faults;
use crate::task::{FaultRecord, TaskId};

const ADD: &str = concat!(
    include_str!("sql/history_add_faults.sql"),
    ";",
    include_str!("sql/history_add_progress.sql")
);
const BEGIN_FAULTS: &str = include_str!("sql/history_begin_faults.sql");
const BEGIN_PROGRESS: &str = include_str!("sql/history_begin_progress.sql");

/// How far a task has come, and by which fault, if there was one.
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

/// Writes steps down, at this time.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    steps: &[Step<'_>],
    now: i64,
) -> Result<()> {
    let rows: Vec<_> = steps.iter().map(Step::row).collect::<Result<_>>()?;
    sqlx::query(ADD).bind(json(&rows)?).bind(now).execute(connection).await?;
    Ok(())
}

impl Step<'_> {
    fn row(&self) -> Result<StepRow<'_>> {
        Ok(StepRow {
            id: Hex(self.id),
            attempts: self.progress.attempts,
            rate_limit_waits: self.progress.rate_limit_waits,
            previous: i64::try_from(self.progress.previous).unwrap_or(i64::MAX),
            fault: self.fault.map(json).transpose()?,
            class: self.fault.map(|fault| fault.class.name()),
            message: self.fault.map(|fault| fault.message.as_str()),
        })
    }
}

/// Writes down what a task brings along.
pub(super) async fn begin(
    connection: &mut SqliteConnection,
    id: TaskId,
    start: &HeadStart,
) -> Result<()> {
    let faults = start.faults.iter().map(|fault| Ok((micros(fault.at), json(fault)?)));
    let faults = json(&faults.collect::<Result<Vec<_>>>()?)?;
    sqlx::query(BEGIN_FAULTS).bind(id.uuid()).bind(faults).execute(&mut *connection).await?;
    let last = start.faults.last();
    sqlx::query(BEGIN_PROGRESS)
        .bind(id.uuid())
        .bind(start.progress.attempts)
        .bind(start.progress.rate_limit_waits)
        .bind(i64::try_from(start.progress.previous).unwrap_or(i64::MAX))
        .bind(i64::try_from(start.faults.len()).unwrap_or(i64::MAX))
        .bind(last.map(|fault| micros(fault.at)))
        .bind(last.map(|fault| fault.class.name()))
        .bind(last.map(|fault| fault.message.as_str()))
        .execute(connection)
        .await?;
    Ok(())
}

/// One fault as rows have it: its time, and the rest.
#[derive(Deserialize)]
struct FaultRow(i64, String);

/// The faults of a task, from its blob, if it has one, and from its rows.
pub(super) fn faults(row: &SqliteRow, id: TaskId, damage: &mut Damage) -> Result<Vec<FaultRecord>> {
    let packed: Option<&[u8]> = row.try_get("packed")?;
    let rows: Vec<FaultRow> = read(row.try_get("faults")?)?;
    let rows = rows.into_iter().map(|FaultRow(at, body)| (timestamp(at), body));
    faults::faults(id, packed, rows, damage)
}
