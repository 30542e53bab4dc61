//! `steadfast db`: database administration.
//!
//! These commands access the database directly and never through a server, which migrates and
//! prunes by itself.

mod migrate;
mod prune;
mod status;

use clap::Subcommand;

use migrate::Migrate;
use prune::Prune;
use status::Status;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast db status", "schema version, size and row counts"),
    ("steadfast db migrate --store postgres://app@db/tasks", "migrate the schema"),
    ("steadfast db prune --completed-for 7d --dry-run", "how much would be deleted?"),
];

/// Migrate, inspect and prune the database of a store.
///
/// Shows schema version, size and row counts, migrates the schema, and deletes old data.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = after_help(EXAMPLES, &[])
)]
pub(crate) struct DbCommand {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Migrate(Migrate),
    Prune(Prune),
    Status(Status),
}

impl DbCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.command {
            Action::Migrate(migrate) => migrate.run(common),
            Action::Prune(prune) => prune.run(common),
            Action::Status(status) => status.run(common),
        }
    }
}
