//! What each command does: a file or a folder for each, named after it.

pub(crate) mod breaker;
pub(crate) mod classify;
pub(crate) mod events;
pub(crate) mod policy;
pub(crate) mod simulate;
pub(crate) mod stats;

use crate::cli::{Cli, Command};
use crate::exit::Exit;
use crate::problem::Problem;

/// Runs the command that was asked for.
pub(crate) fn run(cli: &Cli) -> Result<Exit, Problem> {
    match &cli.command {
        Command::Breaker(breaker) => breaker.run(&cli.common),
        Command::Classify(classify) => classify.run(&cli.common),
        Command::Events(events) => events.run(&cli.common),
        Command::Policy(policy) => policy.run(&cli.common),
        Command::Simulate(simulate) => simulate.run(&cli.common),
        Command::Stats(stats) => stats.run(&cli.common),
    }
}
