//! `--watch` without a terminal: one result after the other.

use std::time::Duration;

use super::STOP_SIGNALS;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Printable};
use crate::signals::{Signals, listen_error};

/// Prints results until a stop signal, or until stdout is closed.
pub(super) async fn run<A: Printable>(
    every: Duration,
    json: bool,
    mut ask: impl AsyncFnMut() -> Result<A, CliError>,
) -> Result<Exit, CliError> {
    let mut signals = Signals::listen(STOP_SIGNALS).map_err(listen_error)?;
    let mut is_first = true;
    loop {
        match ask().await {
            Ok(answer) if !output::print_while_read(&answer, json, !is_first)? => {
                return Ok(Exit::Success);
            }
            Ok(_) => is_first = false,
            Err(problem) if is_first => return Err(problem),
            Err(problem) => drop(problem.report()),
        }
        tokio::select! {
            _ = signals.next() => return Ok(Exit::Success),
            () = tokio::time::sleep(every) => {}
        }
    }
}
