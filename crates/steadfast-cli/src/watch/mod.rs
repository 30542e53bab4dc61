//! `--watch`: results refreshed at an interval.
//!
//! On a terminal the result is redrawn in place; otherwise results are printed one after the
//! other. An unreachable store does not end it: the error is shown until the store is back.

mod keys;
mod screen;

use std::io::{self, IsTerminal};
use std::time::Duration;

use clap::Args;
use nix::sys::signal::Signal;
use steadfast::duration;

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, Printable};
use crate::signals::{Signals, listen_error};

/// Signals that end it.
const STOP_SIGNALS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Refresh flags.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Refresh until q or Ctrl-C
    #[arg(long)]
    watch: bool,

    /// Refresh interval
    #[arg(
        long,
        value_name = "DURATION",
        requires = "watch",
        default_value = "1s",
        value_parser = duration::parse
    )]
    every: Duration,
}

impl Watch {
    /// Shows a result: once, or with `--watch` refreshed until it is stopped.
    pub(crate) async fn show<A: Printable>(
        &self,
        common: &Common,
        mut ask: impl AsyncFnMut() -> Result<A, CliError>,
    ) -> Result<Exit, CliError> {
        let every = self.every.max(MIN_INTERVAL);
        if !self.watch {
            common.print(&ask().await?)
        } else if !common.json && io::stdout().is_terminal() {
            screen::run(every, ask).await
        } else {
            print_series(every, common.json, ask).await
        }
    }
}

/// Prints results until a stop signal, or until stdout is closed.
async fn print_series<A: Printable>(
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
