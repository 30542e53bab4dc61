//! `steadfast flow`: workflows, checked, started, looked at and steered.

mod check;
mod control;
mod definition_file;
mod id;
mod list;
mod run;
mod show;
mod status_color;

use clap::{Args, Subcommand};

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};

const EXAMPLES: &[Example] = &[
    ("steadfast flow check sign-up.json", "does it make sense?"),
    ("steadfast flow run sign-up.json --trigger 42", "start one"),
    ("steadfast flow list --status failed", "what failed?"),
    ("steadfast flow resume 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "go on where it failed"),
];

/// Run workflows: work in several steps, each retried by itself.
///
/// A workflow is a JSON file that names its nodes, what each waits for and how each is retried.
/// An execution of it is kept in the store; whichever worker is alive does its nodes, and one
/// that failed goes on where it failed.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), arg_required_else_help = true)]
pub(crate) struct FlowCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Run(run::Run),
    List(list::List),
    Show(show::Show),
    Cancel(control::Cancel),
    Resume(control::Resume),
    Retry(control::Retry),
}

impl FlowCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.command {
            Command::Check(check) => check.run(common),
            Command::Run(run) => run.run(common),
            Command::List(list) => list.run(common),
            Command::Show(show) => show.run(common),
            Command::Cancel(cancel) => cancel.run(common),
            Command::Resume(resume) => resume.run(common),
            Command::Retry(retry) => retry.run(common),
        }
    }
}
