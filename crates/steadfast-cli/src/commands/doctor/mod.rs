//! `steadfast doctor`: diagnosis of a store or server, with advice.
//!
//! The store crate collects facts; the checks here evaluate them, one file per topic with its
//! thresholds at the top. A finding that needs action names the statement, setting or command.

mod finding;
mod open_error;
mod policies;
mod postgres;
mod report;
mod server;
mod sqlite;
mod units;
mod workload;

use jiff::Timestamp;
use steadfast::observe::Redactor;
use steadfast_store::health::{EngineHealth, Health, examine};

use crate::commands::prelude::*;
use crate::target::ResolvedTarget;
use finding::{Finding, Level};
use report::Report;

const EXAMPLES: &[Example] = &[
    ("steadfast doctor", "store and policies in this directory"),
    ("steadfast doctor --store postgres://app@db/tasks", "a PostgreSQL store"),
    ("steadfast doctor --server http://127.0.0.1:7700", "a server and its store"),
    ("steadfast doctor --alive --server http://127.0.0.1:7700", "container health check"),
    ("steadfast doctor --json", "for monitoring"),
];

const LEVELS: Section = (
    "Levels",
    &[
        ("ok", "as expected"),
        ("unknown", "could not be checked"),
        ("note", "informational"),
        ("warning", "will become a problem"),
        ("problem", "needs action now; exit code 1"),
    ],
);

/// Check a store and the policy file, and suggest fixes.
///
/// Runs read-only checks: whether the store is reachable, whether its schema is current, whether
/// workers claim due tasks, and what slows the store down: long transactions, stuck listeners and dead rows on
/// PostgreSQL; WAL size, locks, corruption and disk space of an SQLite file. With --server,
/// checks that the server is ready and shows what it reports about its store. docs/doctor.md explains every check.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[LEVELS]))]
pub(crate) struct Doctor {
    /// Only check that a server is ready: it responds and so does its store
    #[arg(long)]
    ready: bool,

    /// Only check that a server responds, regardless of its store, for example as a container health
    /// check
    #[arg(long, conflicts_with = "ready")]
    alive: bool,

    #[command(flatten)]
    target: Target,
}

impl Doctor {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let report = match self.target.resolve()? {
            ResolvedTarget::Store(_) if self.ready || self.alive => return Err(no_server()),
            ResolvedTarget::Store(url) => of_store(&url, common)?,
            ResolvedTarget::Server(address) => self.of_server(&address)?,
        };
        common.print(&report)?;
        Ok(if report.is_healthy() { Exit::Success } else { Exit::Failed })
    }

    fn of_server(&self, address: &str) -> Result<Report, CliError> {
        let remote = self.target.remote(address)?;
        let checks = target::block_on(async {
            if self.alive {
                return Ok(vec![Finding::new("server", server::alive(&remote).await)]);
            }
            let ready = server::ready(&remote).await;
            let only = self.ready || ready.level == Level::Problem;
            let mut findings = vec![Finding::new("server", ready)];
            if !only {
                findings.extend(server::checked(&remote, Timestamp::now).await);
            }
            Ok(findings)
        })?;
        Ok(Report::new(address.to_owned(), checks))
    }
}

/// A health check of the wrong target would be misleading.
fn no_server() -> CliError {
    CliError::usage("--ready and --alive are only valid with a server")
        .with_help("name it with --server, or omit them to check the store")
}

fn of_store(url: &str, common: &Common) -> Result<Report, CliError> {
    let mut checks = target::block_on(async { Ok(check(url).await) })?;
    checks.extend(policies::check(common));
    Ok(Report::new(Redactor::installed().text(url).into_owned(), checks))
}

async fn check(url: &str) -> Vec<Finding> {
    match examine(url, Timestamp::now).await {
        Ok(health) => check_all(&health),
        Err(error) => vec![Finding::new("store", open_error::verdict(url, &error))],
    }
}

fn check_all(health: &Health) -> Vec<Finding> {
    let mut checks = Vec::new();
    let has_clients = match &health.engine {
        EngineHealth::Postgres(own) => {
            checks.extend(postgres::server::check(own));
            own.other_connections.as_ref().is_ok_and(|others| *others > 0)
        }
        EngineHealth::Sqlite(own) => {
            checks.extend(sqlite::files::check(own));
            own.holders.as_ref().is_ok_and(|holders| !holders.is_empty())
        }
        _ => false,
    };
    checks.extend(workload::check(health, has_clients));
    match &health.engine {
        EngineHealth::Postgres(own) => {
            checks.extend(postgres::sessions::check(own));
            checks.extend(postgres::tables::check(own));
        }
        EngineHealth::Sqlite(own) => checks.extend(sqlite::database::check(own)),
        _ => {}
    }
    checks
}
