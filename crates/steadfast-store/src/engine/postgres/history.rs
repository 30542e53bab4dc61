//! The histories of tasks: their faults (D8).
//!
//! A fault is one row of JSON. Long after the end of a task its faults are compressed into one
//! blob; a reader sees no difference.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crate::engine::row::{EngineRow, encode};
use crate::engine::time::Time;
use crate::error::Result;
use crate::task::decode_error::{DecodeErrors, decode_faults};
use crate::task::{FaultRecord, TaskId};

pub(super) async fn add(
    connection: &mut PgConnection,
    faults: Vec<(TaskId, &FaultRecord)>,
) -> Result<()> {
    let (mut ids, mut records) = (Vec::new(), Vec::new());
    for (id, fault) in faults {
        ids.push(id.uuid());
        records.push(encode(fault)?);
    }
    if ids.is_empty() {
        return Ok(());
    }
    let insert = "INSERT INTO steadfast.faults (task, at, record) \
         SELECT g.task, now(), g.record::json FROM unnest($1::uuid[], $2::text[]) \
         WITH ORDINALITY AS g (task, record, position) ORDER BY g.position";
    sqlx::query(insert).bind(ids).bind(records).execute(connection).await?;
    Ok(())
}

/// The faults of a task, from its blob, if it has one, and from its rows.
pub(super) fn faults(
    row: &PgRow,
    id: TaskId,
    errors: &mut DecodeErrors,
) -> Result<Vec<FaultRecord>> {
    let records: Vec<String> = row.try_get("loose_faults")?;
    let times: Vec<Time> = row.try_get("loose_times")?;
    let rows = times.into_iter().map(|time| time.0).zip(records);
    decode_faults(id, row.try_get("packed_faults")?, rows, errors)
}

/// The last fault of a failed task. Decode errors are reported where the task itself is read.
pub(super) fn last_fault(row: &PgRow) -> Result<Vec<FaultRecord>> {
    let last = row.maybe_time("at")?.into_iter().zip(row.maybe_text("record")?);
    let errors = &mut DecodeErrors::default();
    decode_faults(row.id("id")?, row.try_get("packed_faults")?, last, errors)
}
