//! Child processes: the other programs of this package, and external commands.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The error of a measurement.
pub type Error = Box<dyn std::error::Error>;

/// The path of another program of this package, in the directory of the current one.
pub fn sibling(name: &str) -> Result<PathBuf, Error> {
    let program = std::env::current_exe()?.with_file_name(name);
    if !program.is_file() {
        return Err(format!("{} is missing: build with --bins", program.display()).into());
    }
    Ok(program)
}

/// Runs a command to completion.
///
/// # Errors
/// The command cannot be started, or exits with a failure.
pub fn run(command: &mut Command) -> Result<Output, Error> {
    let output = command.output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}\n{log}", output.status).into());
    }
    Ok(output)
}
