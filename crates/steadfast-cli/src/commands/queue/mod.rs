//! `steadfast queue`: the lines that tasks stand in (D10).

mod control;
mod list;

use clap::{Args, Subcommand};

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};

const EXAMPLES: &[Example] = &[
    ("steadfast queue list", "which are there, and how full?"),
    ("steadfast queue pause mail", "while its service is repaired"),
    ("steadfast queue resume mail", "and on it goes"),
];

/// Look at queues, pause them and let them go on.
///
/// A queue is a line that tasks stand in. Workers take nothing from one that is paused; what
/// they have begun they finish, and tasks can still be submitted to it.
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
