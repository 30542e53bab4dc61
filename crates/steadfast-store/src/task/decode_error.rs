//! Decode errors of a task.
//!
//! One task that cannot be decoded must not fail a list of a thousand, and must be visible in it.
//! So the parts that cannot be decoded are left out of the task, and reported as its problem.

use jiff::Timestamp;

use crate::error::{Result, StoreError};
use crate::maintenance::history_codec;
use crate::task::{FaultRecord, TaskId};

#[derive(Debug, Default)]
pub(crate) struct DecodeErrors(Vec<String>);

impl DecodeErrors {
    /// Starts with the problem found so far.
    pub(crate) fn new(problem: Option<String>) -> Self {
        Self(problem.into_iter().collect())
    }

    /// A part of a task; `None` if it cannot be decoded. Any other error is returned.
    pub(crate) fn collect<T>(&mut self, part: Result<T>) -> Result<Option<T>> {
        match part {
            Ok(part) => Ok(Some(part)),
            Err(StoreError::Decode { problem, .. }) => {
                self.0.push(problem);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// All errors in one text.
    pub(crate) fn into_problem(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }
}

/// The faults of a task, oldest first, from its compressed history and from single rows. A row is a
/// time and the rest as JSON.
pub(crate) fn decode_faults(
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
