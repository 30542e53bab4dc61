//! `steadfast breaker`: circuit breakers of all instances (G1).

mod control;
mod list;

use clap::Subcommand;

use control::{Close, Open};
use list::List;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast breaker list", "show their states"),
    ("steadfast breaker open payments --hold", "block calls until it is closed"),
    ("steadfast breaker close payments", "allow calls again"),
];

/// List, open and close circuit breakers.
///
/// Every instance has a breaker for each policy that enables one, shared by its tasks and
/// sessions. Instances report breaker states and apply overrides within seconds.
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
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.action {
            Action::List(list) => list.run(common),
            Action::Open(open) => open.run(common),
            Action::Close(close) => close.run(common),
        }
    }
}
