//! Workflow definition files.

use std::path::Path;

use steadfast_flow::Workflow;
use steadfast_store::MAX_PAYLOAD;

use crate::error::CliError;
use crate::input;
use crate::output::{note, sanitize};

/// Reads the definition; its size is checked when it is parsed.
pub(super) fn read(file: &Path) -> Result<String, CliError> {
    let name = input::name_of(file);
    let bytes = input::bytes_of(file, MAX_PAYLOAD as u64 + 1)
        .map_err(|error| CliError::usage(format!("cannot read {name}: {error}")))?;
    String::from_utf8(bytes).map_err(|_| CliError::usage(format!("{name} is not UTF-8 text")))
}

/// Notes which nodes need a worker with custom handlers.
pub(super) fn note_handlers(workflow: &Workflow) {
    let handlers = workflow.handlers();
    if !handlers.is_empty() {
        let named = sanitize::line(&handlers.join(", "));
        note(&format!(
            "{named} needs a worker with your own handlers; `steadfast serve` runs only http and command"
        ));
    }
}
