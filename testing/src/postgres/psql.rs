//! Statements, sent by `psql`.
//!
//! A driver would slow down every build of `cargo xtask` for a few statements.

use std::process::Command;

use crate::Error;

/// Runs `statement`: one line per row, columns separated by `|`.
pub(super) fn run(
    mut psql: Command,
    url: &str,
    statement: &str,
    next: impl Into<String>,
) -> Result<String, Error> {
    let output = psql
        .args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--no-password"])
        .args(["--set=ON_ERROR_STOP=1", "--dbname", url, "--command", statement])
        .env("LC_ALL", "C")
        .env("PGCONNECT_TIMEOUT", "10")
        .output()
        .map_err(|error| {
            Error::new(format!("psql did not start: {error}"), "check that this user may run it")
        })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("`{statement}` failed: {}", message.trim_end()), next));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
