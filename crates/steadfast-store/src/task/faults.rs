//! The faults of a task, out of what a store keeps of them: those that were packed long after its
//! end, and one row for each since.
//!
//! A fault that cannot be read is left out and told of, as every part of a task is: whoever looks
//! at a task should see the rest of it.

use jiff::Timestamp;

use crate::error::{Result, StoreError};
use crate::maintenance::history_codec;
use crate::task::decode_error::Damage;
use crate::task::{FaultRecord, TaskId};

/// Those that can be read, oldest first. A row is a time and the rest as JSON.
pub(crate) fn faults(
    id: TaskId,
    packed: Option<&[u8]>,
    rows: impl IntoIterator<Item = (Timestamp, impl AsRef<str>)>,
    damage: &mut Damage,
) -> Result<Vec<FaultRecord>> {
    let damaged = |what: &str, error: &dyn std::error::Error| StoreError::Damaged {
        id,
        problem: format!("{what} cannot be read: {error}"),
    };
    let packed = packed.map(history_codec::unpack).transpose();
    let packed = packed.map_err(|error| damaged("its packed history", &error));
    let mut faults = damage.unless(packed)?.flatten().unwrap_or_default();
    for (at, body) in rows {
        let fault = serde_json::from_str::<FaultRecord>(body.as_ref());
        let fault = damage.unless(fault.map_err(|error| damaged("a fault of it", &error)))?;
        faults.extend(fault.map(|fault| FaultRecord { at, ..fault }));
    }
    Ok(faults)
}
