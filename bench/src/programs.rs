//! The programs of this package, run by one another.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Whatever keeps a measurement from being made, in words.
pub type Error = Box<dyn std::error::Error>;

/// The program of this package that was built beside this one.
pub fn beside(name: &str) -> Result<PathBuf, Error> {
    let program = std::env::current_exe()?.with_file_name(name);
    if !program.is_file() {
        return Err(format!("{} is missing: build with --bins", program.display()).into());
    }
    Ok(program)
}

/// Runs a command to its end, and fails if it does.
pub fn run(command: &mut Command) -> Result<Output, Error> {
    let output = command.output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}\n{log}", output.status).into());
    }
    Ok(output)
}
