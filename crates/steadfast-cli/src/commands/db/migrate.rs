//! `steadfast db migrate`: schema migration.

use steadfast_store::Migration;

use crate::commands::prelude::*;
use crate::target::StoreTarget;

const EXAMPLES: &[Example] = &[
    ("steadfast db migrate", "the local store"),
    ("steadfast db migrate --store postgres://app@db/tasks --json", "before a rollout"),
];

/// Migrate the schema to the current version.
///
/// Opening a store migrates it as well. Use this command to migrate ahead of a deployment or with
/// different database privileges. It is safe to run repeatedly and concurrently.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Migrate {
    #[command(flatten)]
    target: StoreTarget,
}

impl Migrate {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let url = self.target.url()?;
        common.print(&target::block_on(async {
            let migrated = steadfast_store::migrate(&url).await;
            migrated.map_err(|error| target::open_error(&url, error.into()))
        })?)
    }
}

impl Printable for Migration {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        match *self {
            Self { from, to, .. } if from == to => {
                writeln!(page, "schema version {to} is up to date")
            }
            Self { from: 0, to, .. } => writeln!(page, "created a store with schema version {to}"),
            Self { from, to, .. } => {
                writeln!(page, "migrated the schema from version {from} to version {to}")
            }
        }
    }
}
