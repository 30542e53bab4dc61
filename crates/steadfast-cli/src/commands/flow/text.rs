//! The text of a workflow, from a file or from stdin.

use std::path::Path;

use steadfast_store::MAX_PAYLOAD;

use crate::input;
use crate::problem::Problem;

/// Reads it. What is too long is told by whoever checks it.
pub(super) fn read(file: &Path) -> Result<String, Problem> {
    let name = input::name_of(file);
    let bytes = input::bytes_of(file, MAX_PAYLOAD as u64 + 1)
        .map_err(|error| Problem::usage(format!("{name} cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Problem::usage(format!("{name} is no UTF-8")))
}
