//! `steadfast db`: database administration.
//!
//! These commands access the database directly and never through a server, which migrates and
//! prunes by itself.

mod migrate;
mod prune;
mod status;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast db status", "schema version, size and row counts"),
    ("steadfast db migrate --store postgres://app@db/tasks", "migrate the schema"),
    ("steadfast db prune --completed-older-than 7d --dry-run", "how much would be deleted?"),
];

command_group! {
    /// Migrate, inspect and prune the database of a store.
    ///
    /// Shows schema version, size and row counts, migrates the schema, and deletes old data.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    DbCommand {
        Migrate(migrate::Migrate),
        Prune(prune::Prune),
        Status(status::Status),
    }
}
