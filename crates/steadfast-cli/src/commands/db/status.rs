//! `steadfast db status`: read-only database inspection.

use indicatif::HumanBytes;
use serde::Serializer;
use steadfast_store::{Inspection, Stats, Store, inspect};

use crate::commands::prelude::*;
use crate::target::StoreTarget;

const EXAMPLES: &[Example] = &[
    ("steadfast db status", "the store in this directory"),
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
        common.print(&found)
    }
}

#[derive(Serialize)]
struct DatabaseStatus {
    store: String,
    #[serde(flatten)]
    database: Inspection,
    pending_migrations: i64,
    /// `None` if they cannot be counted without migrating.
    #[serde(serialize_with = "as_map")]
    tasks: Option<TaskCounts>,
}

/// Task counts by status.
type TaskCounts = [(&'static str, u64); 6];

fn counts(stats: &Stats) -> TaskCounts {
    [
        ("pending", stats.pending),
        ("scheduled", stats.scheduled),
        ("running", stats.running),
        ("completed", stats.completed),
        ("failed", stats.failed),
        ("cancelled", stats.cancelled),
    ]
}

fn as_map<S: Serializer>(counts: &Option<TaskCounts>, to: S) -> Result<S::Ok, S::Error> {
    match counts {
        Some(counts) => to.collect_map(counts.iter().copied()),
        None => to.serialize_none(),
    }
}

impl DatabaseStatus {
    async fn inspect(url: &str, store: String) -> Result<Self, CliError> {
        let open_error = |error: steadfast_store::StoreError| target::open_error(url, error.into());
        let database = inspect(url).await.map_err(open_error)?;
        let tasks = match database.applied == database.known {
            true => {
                let store = Store::open(url).await.map_err(open_error)?;
                Some(counts(&store.stats().await.map_err(open_error)?))
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
            let some = tasks.iter().filter(|(_, count)| *count > 0);
            let texts: Vec<String> = some.map(|(name, count)| format!("{count} {name}")).collect();
            let text = if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
            table.entry("tasks", text);
        }
        table.write(page)?;
        if database.tables.is_empty() {
            return Ok(());
        }
        writeln!(page)?;
        let mut rows = Table::with_columns(&["table", "rows", "contents"], &["rows"]);
        for table in &database.tables {
            let contents = contents(&table.name).to_owned();
            rows.row([table.name.clone(), table.rows.to_string(), contents]);
        }
        rows.write(page)
    }
}

/// What a table of the store contains.
fn contents(table: &str) -> &'static str {
    match table {
        "audit" => "audit log",
        "breaker_orders" | "orders" => "breakers opened or closed by hand",
        "breakers" => "breaker state per worker",
        "budgets" => "retry budgets per worker",
        "ended" => "finished tasks",
        "ends" => "counts of finished tasks",
        "executions" => "workflow executions",
        "faults" => "failure history",
        "holds" => "rate-limited categories",
        "leases" => "leases of running tasks",
        "nodes" => "nodes of executions",
        "packed" => "compressed failure history",
        "policies" => "policies that tasks use",
        "progress" => "progress of retried tasks",
        "queues" => "queues",
        "ready" => "pending tasks",
        "records" => "recorded sessions and events",
        "running" => "running tasks",
        "summed" => "time of the last rollup",
        "sums" => "per-minute metrics",
        "tasks" => "tasks in every status",
        "waiting" => "scheduled tasks",
        "workers" => "workers",
        "workflows" => "workflow definitions",
        _ => "",
    }
}
