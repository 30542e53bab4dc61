//! `steadfast db`: the database behind a store, for whoever looks after it.
//!
//! These ask the database itself and never a server: a server that runs has migrated already, and
//! prunes by itself.

mod migrate;
mod prune;
mod status;

use clap::{Args, Subcommand};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::problem::Problem;
use migrate::Migrate;
use prune::Prune;
use status::Status;

const EXAMPLES: &[Example] = &[
    ("steadfast db status", "what is there, and is it up to date?"),
    ("steadfast db migrate --store postgres://app@db/tasks", "bring the schema up to date"),
    ("steadfast db prune --completed-for 7d --dry-run", "how much would be forgotten?"),
];

/// Look after the database of a store.
///
/// Shows what is in the database, brings its schema up to date, and forgets what has ended long
/// ago.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = after_help(EXAMPLES, &[])
)]
pub(crate) struct DbCommand {
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Migrate(Migrate),
    Prune(Prune),
    Status(Status),
}

impl DbCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        match &self.command {
            What::Migrate(migrate) => migrate.run(common),
            What::Prune(prune) => prune.run(common),
            What::Status(status) => status.run(common),
        }
    }
}
