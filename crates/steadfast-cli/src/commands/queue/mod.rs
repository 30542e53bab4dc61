//! `steadfast queue`: queues (D10).

mod control;
mod list;

use clap::Subcommand;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast queue list", "queues and their backlog"),
    ("steadfast queue pause mail", "during an outage of its service"),
    ("steadfast queue resume mail", "claim its tasks again"),
];

/// List, pause and resume queues.
///
/// Workers claim no tasks from a paused queue. Running tasks finish, and tasks can still be
/// submitted.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), arg_required_else_help = true)]
pub(crate) struct QueueCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    Pause(control::Pause),
    Resume(control::Resume),
}

impl QueueCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.command {
            Command::List(list) => list.run(common),
            Command::Pause(pause) => pause.run(common),
            Command::Resume(resume) => resume.run(common),
        }
    }
}
