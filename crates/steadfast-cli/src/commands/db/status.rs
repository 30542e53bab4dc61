//! `steadfast db status`: what is in a database, without touching it.

use std::io::{self, Write};

use clap::Args;
use indicatif::HumanBytes;
use serde::Serialize;
use steadfast_store::{Inspection, Stats, Store, inspect};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::table::{Align, Table};
use crate::output::{Answer, counted, width};
use crate::problem::Problem;
use crate::target::{self, StorePlace};

const EXAMPLES: &[Example] = &[
    ("steadfast db status", "of steadfast.db in this directory"),
    ("steadfast db status --store postgres://app@db/tasks", "of a fleet"),
    ("steadfast db status --json", "for a script"),
];

/// Show what is in the database, without changing it.
///
/// The version of its schema and whether this program would migrate it, what it takes of the
/// disk, and how many rows are where. Nothing is migrated or made.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Status {
    #[command(flatten)]
    place: StorePlace,
}

impl Status {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let url = self.place.existing()?;
        let found = target::block_on(Found::look(&url, self.place.identity()?))?;
        common.output().answer(&found)?;
        Ok(Exit::Good)
    }
}

#[derive(Serialize)]
struct Found {
    store: String,
    #[serde(flatten)]
    database: Inspection,
    /// How many steps of the schema are missing.
    pending_migrations: i64,
    /// Nothing where they cannot be counted without migrating.
    tasks: Option<Tasks>,
}

/// How many tasks are where.
#[derive(Serialize)]
struct Tasks {
    pending: u64,
    scheduled: u64,
    running: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
}

impl From<Stats> for Tasks {
    fn from(stats: Stats) -> Self {
        let Stats { pending, scheduled, running, completed, failed, cancelled, .. } = stats;
        Self { pending, scheduled, running, completed, failed, cancelled }
    }
}

impl Tasks {
    fn named(&self) -> [(&'static str, u64); 6] {
        [
            ("pending", self.pending),
            ("scheduled", self.scheduled),
            ("running", self.running),
            ("completed", self.completed),
            ("failed", self.failed),
            ("cancelled", self.cancelled),
        ]
    }
}

impl Found {
    async fn look(url: &str, store: String) -> Result<Self, Problem> {
        let unopened = |error: steadfast_store::StoreError| target::unopened(url, error.into());
        let database = inspect(url).await.map_err(unopened)?;
        let tasks = match database.applied == database.known {
            true => {
                let store = Store::open(url).await.map_err(unopened)?;
                Some(store.stats().await.map_err(unopened)?.into())
            }
            false => None,
        };
        Ok(Self { store, pending_migrations: database.pending(), database, tasks })
    }

    fn schema(&self) -> String {
        let Inspection { applied, known, .. } = self.database;
        match self.pending_migrations {
            _ if self.database.is_newer() => {
                format!("version {applied}, and this program knows {known}: use a newer program")
            }
            0 => format!("version {applied}, up to date"),
            _ if applied == 0 => "none: `steadfast db migrate` makes one".to_owned(),
            pending => {
                let pending = counted(pending as usize, "step is", "steps are");
                format!("version {applied}; {pending} missing: `steadfast db migrate` makes them")
            }
        }
    }
}

impl Answer for Found {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let database = &self.database;
        let mut table = Table::bare();
        table.entry("store", self.store.clone());
        table.entry("database", format!("{} {}", database.engine, database.version));
        table.entry("schema", self.schema());
        table.entry("size", HumanBytes(database.bytes).to_string());
        if let Some(mode) = &database.journal_mode {
            table.entry("journal mode", mode.clone());
        }
        if let Some(tasks) = &self.tasks {
            let some = tasks.named().into_iter().filter(|(_, count)| *count > 0);
            let told: Vec<String> = some.map(|(name, count)| format!("{count} {name}")).collect();
            let told = if told.is_empty() { "none".to_owned() } else { told.join(", ") };
            table.entry("tasks", told);
        }
        table.write(page, width::of_stdout())?;
        if database.tables.is_empty() {
            return Ok(());
        }
        writeln!(page)?;
        let mut rows = Table::with_columns(&[("table", Align::Left), ("rows", Align::Right)]);
        for table in &database.tables {
            rows.row([table.name.clone(), table.rows.to_string()]);
        }
        rows.write(page, width::of_stdout())
    }
}
