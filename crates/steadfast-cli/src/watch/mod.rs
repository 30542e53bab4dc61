//! Answers that are asked for again and again: `--watch`.
//!
//! On a terminal the answer is drawn in one place; elsewhere each follows the one before, so
//! that a script can read them as they come. A store that is away for a while does not end it:
//! what is wrong is shown until all is well again.

mod keys;
mod plain;
mod screen;
mod signals;

use std::io::{self, IsTerminal};
use std::time::Duration;

use clap::Args;
use steadfast::duration;

use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::problem::Problem;

/// Shorter than anybody can read, and busy for the store.
const SHORTEST: Duration = Duration::from_millis(100);

/// Whether to look again, and how often.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Look again and again, until q or Ctrl-C
    #[arg(long)]
    watch: bool,

    /// How often to look
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
    /// Whether to look again.
    pub(crate) const fn is_on(&self) -> bool {
        self.watch
    }

    /// Asks and shows until it is told to stop.
    pub(crate) async fn run<A: Answer>(
        &self,
        output: Output,
        ask: impl AsyncFnMut() -> Result<A, Problem>,
    ) -> Result<Exit, Problem> {
        let every = self.every.max(SHORTEST);
        if !output.is_json() && io::stdout().is_terminal() {
            screen::run(every, ask).await
        } else {
            plain::run(every, output, ask).await
        }
    }
}
