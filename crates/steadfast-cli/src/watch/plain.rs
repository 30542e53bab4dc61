//! Where nobody watches a screen: one answer after the other.

use std::time::Duration;

use super::signals::Signals;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::problem::Problem;

/// Prints answers until it is told to stop, or until nobody reads them.
pub(super) async fn run<A: Answer>(
    every: Duration,
    output: Output,
    mut ask: impl AsyncFnMut() -> Result<A, Problem>,
) -> Result<Exit, Problem> {
    let mut signals = Signals::listen()?;
    let mut is_first = true;
    loop {
        match ask().await {
            Ok(answer) if !output.answer_while_read(&answer, !is_first)? => return Ok(Exit::Good),
            Ok(_) => is_first = false,
            Err(problem) if is_first => return Err(problem),
            Err(problem) => drop(problem.report()),
        }
        tokio::select! {
            () = signals.stop() => return Ok(Exit::Good),
            () = tokio::time::sleep(every) => {}
        }
    }
}
