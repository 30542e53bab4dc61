//! `steadfast breaker`: the breakers of all instances, seen and steered (G1).

mod list;
mod order;

use clap::{Args, Subcommand};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::problem::Problem;
use list::List;
use order::{Close, Open};

const EXAMPLES: &[Example] = &[
    ("steadfast breaker list", "how do they stand?"),
    ("steadfast breaker open payments --hold", "send nothing there until it is closed"),
    ("steadfast breaker close payments", "let calls through again"),
];

/// See and steer breakers: list, open, close.
///
/// Every instance has a breaker for each policy that asks for one, shared by its tasks and its
/// sessions. Instances write down how they stand and do what is wanted of them within seconds.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), subcommand_required = true)]
#[command(arg_required_else_help = true)]
pub(crate) struct BreakerCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(List),
    Open(Open),
    Close(Close),
}

impl BreakerCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        match &self.action {
            Action::List(list) => list.run(common),
            Action::Open(open) => open.run(common),
            Action::Close(close) => close.run(common),
        }
    }
}
