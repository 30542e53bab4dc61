//! `steadfast policy`: everything about policies that needs no store.

mod plan;

use clap::{Args, Subcommand};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::problem::Problem;

const EXAMPLES: &[Example] = &[
    ("steadfast policy plan --preset patient", "every attempt of a ready-made policy"),
    ("steadfast policy plan --preset grpc --max-attempts 6", "the same, with more attempts"),
];

/// Look at retry policies.
///
/// A policy is plain data that says how to try again: how often, how long between, what for.
/// It is written as flags, taken from a preset, or both; the flags win.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), arg_required_else_help = true)]
pub(crate) struct PolicyCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plan(plan::Plan),
}

impl PolicyCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        match &self.command {
            Command::Plan(plan) => plan.run(common),
        }
    }
}
