//! `--watch`: results refreshed at an interval.
//!
//! On a terminal the result is redrawn in place; otherwise results are printed one after the
//! other. An unreachable store does not end it: the error is shown until the store is back.

mod keys;
mod plain;
mod screen;

use std::io::{self, IsTerminal};
use std::time::Duration;

use clap::Args;
use nix::sys::signal::Signal;
use steadfast::duration;

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Printable;

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
            plain::run(every, common.json, ask).await
        }
    }
}
