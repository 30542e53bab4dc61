//! `steadfast policy`: policies without a store.

pub(crate) mod check;
mod explain;
mod export;
mod import;
mod list;
mod losses;
mod plan;
mod plot;
mod schema;
mod show;
mod summary;

use clap::Subcommand;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast policy check", "validate the policy file"),
    ("steadfast policy list --names", "list policies and mapped names"),
    ("steadfast policy explain browser.state_operations.timeout", "origin of its values"),
    ("steadfast policy plan --preset patient", "print the retry delays"),
];

/// Check, inspect and convert retry policies.
///
/// A policy defines how often to retry, how long to wait, and which failures to retry. It comes
/// from a policy file, a preset or flags, or a combination; flags take precedence.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), arg_required_else_help = true)]
pub(crate) struct PolicyCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    List(list::List),
    Show(show::Show),
    Explain(explain::Explain),
    Plan(plan::Plan),
    Plot(plot::Plot),
    Import(import::Import),
    Export(export::Export),
    Schema(schema::Schema),
}

impl PolicyCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.command {
            Command::Check(check) => check.run(common),
            Command::List(list) => list.run(common),
            Command::Show(show) => show.run(common),
            Command::Explain(explain) => explain.run(common),
            Command::Plan(plan) => plan.run(common),
            Command::Plot(plot) => plot.run(common),
            Command::Import(import) => import.run(common),
            Command::Export(export) => export.run(common),
            Command::Schema(schema) => schema.run(),
        }
    }
}
