//! `steadfast db status`: read-only database inspection.

use indicatif::HumanBytes;
use steadfast_store::{Inspection, Stats, Store, inspect};

use crate::commands::prelude::*;
use crate::output::table::Align;
use crate::output::width;
use crate::target::StoreTarget;

const EXAMPLES: &[Example] = &[
    ("steadfast db status", "the store of this directory"),
    ("steadfast db status --store postgres://app@db/tasks", "a PostgreSQL store"),
    ("steadfast db status --json", "for a script"),
];

/// Show schema version, size and row counts of the database.
///
/// Shows the schema version and whether it needs a migration, the disk space, and the number of
/// rows per table. Changes nothing.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Status {
    #[command(flatten)]
    target: StoreTarget,
}

impl Status {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let url = self.target.existing_url()?;
        let found = target::block_on(DatabaseStatus::inspect(&url, self.target.identity()?))?;
        common.output().print(&found)?;
        Ok(Exit::Success)
    }
}

#[derive(Serialize)]
struct DatabaseStatus {
    store: String,
    #[serde(flatten)]
    database: Inspection,
    /// Number of migrations not yet applied.
    pending_migrations: i64,
    /// `None` if they cannot be counted without migrating.
    tasks: Option<Tasks>,
}

/// Task counts by status.
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

impl DatabaseStatus {
    async fn inspect(url: &str, store: String) -> Result<Self, CliError> {
        let open_error = |error: steadfast_store::StoreError| target::open_error(url, error.into());
        let database = inspect(url).await.map_err(open_error)?;
        let tasks = match database.applied == database.known {
            true => {
                let store = Store::open(url).await.map_err(open_error)?;
                Some(store.stats().await.map_err(open_error)?.into())
            }
            false => None,
        };
        Ok(Self { store, pending_migrations: database.pending(), database, tasks })
    }

    fn schema(&self) -> String {
        let Inspection { applied, known, .. } = self.database;
        match self.pending_migrations {
            _ if self.database.is_newer() => {
                format!(
                    "version {applied} is newer than this program's {known}: upgrade the program"
                )
            }
            0 => format!("version {applied}, up to date"),
            _ if applied == 0 => "none: create it with `steadfast db migrate`".to_owned(),
            pending => {
                let pending = counted(pending as usize, "migration", "migrations");
                format!("version {applied}, {pending} pending: run `steadfast db migrate`")
            }
        }
    }
}

impl Printable for DatabaseStatus {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
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
            let texts: Vec<String> = some.map(|(name, count)| format!("{count} {name}")).collect();
            let text = if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
            table.entry("tasks", text);
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
