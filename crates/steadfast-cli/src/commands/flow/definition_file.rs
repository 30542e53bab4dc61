//! The text of a workflow, from a file or from stdin.

use std::path::Path;

use steadfast_flow::Workflow;
use steadfast_store::MAX_PAYLOAD;

use crate::error::CliError;
use crate::input;
use crate::output::{note, sanitize};

/// Reads it. What is too long is told by whoever checks it.
pub(super) fn read(file: &Path) -> Result<String, CliError> {
    let name = input::name_of(file);
    let bytes = input::bytes_of(file, MAX_PAYLOAD as u64 + 1)
        .map_err(|error| CliError::usage(format!("{name} cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| CliError::usage(format!("{name} is no UTF-8")))
}

/// Says who has to be there beside what is built in: an execution waits for him.
pub(super) fn note_handlers(workflow: &Workflow) {
    let handlers = workflow.handlers();
    if !handlers.is_empty() {
        let named = sanitize::line(&handlers.join(", "));
        note(&format!(
            "only a worker of yours does {named}; `steadfast serve` does http and command"
        ));
    }
}
