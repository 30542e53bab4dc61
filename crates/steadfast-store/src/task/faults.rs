//! The faults of a task, from its compressed history and from single rows.
//!
//! A fault that cannot be decoded is left out and reported, as every part of a task is.

use jiff::Timestamp;

use crate::error::{Result, StoreError};
use crate::maintenance::history_codec;
use crate::task::decode_error::DecodeErrors;
use crate::task::{FaultRecord, TaskId};

/// Decodes the faults, oldest first. A row is a time and the rest as JSON.
pub(crate) fn faults(
    id: TaskId,
    compressed: Option<&[u8]>,
    rows: impl IntoIterator<Item = (Timestamp, impl AsRef<str>)>,
    errors: &mut DecodeErrors,
) -> Result<Vec<FaultRecord>> {
    let compressed = compressed.map(history_codec::decompress).transpose();
    let compressed =
        compressed.map_err(|error| StoreError::cannot_decode(id, "compressed history", &error));
    let mut faults = errors.collect(compressed)?.flatten().unwrap_or_default();
    for (at, body) in rows {
        let fault = serde_json::from_str::<FaultRecord>(body.as_ref());
        let fault = fault.map_err(|error| StoreError::cannot_decode(id, "fault", &error));
        faults.extend(errors.collect(fault)?.map(|fault| FaultRecord { at, ..fault }));
    }
    Ok(faults)
}
