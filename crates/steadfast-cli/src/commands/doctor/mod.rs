//! `steadfast doctor`: what is wrong with a store, or soon will be, and what to do about it.
//!
//! The store crate gathers facts and thinks nothing of them; here they are judged, one file for
//! each sort of fact, with the limits at its top. A check that is not content says precisely
//! what to do: the statement, the setting, the command.

mod finding;
mod policies;
mod postgres;
mod report;
mod server;
mod sqlite;
mod units;
mod unreachable;
mod work;

use clap::Args;
use jiff::Timestamp;
use steadfast::observe::Redactor;
use steadfast_store::health::{EngineHealth, Health, examine};

use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::problem::Problem;
use crate::target::{self, Chosen, Place};
use finding::Finding;
use report::Report;

const EXAMPLES: &[Example] = &[
    ("steadfast doctor", "this directory's store and policies"),
    ("steadfast doctor --store postgres://app@db/tasks", "a fleet's store"),
    ("steadfast doctor --server http://127.0.0.1:7700", "what a server knows of its store"),
    ("steadfast doctor --alive --server http://127.0.0.1:7700", "for a container's health check"),
    ("steadfast doctor --json", "for a monitor"),
];

const MARKS: Section = (
    "Marks",
    &[
        ("ok", "as it should be"),
        ("unknown", "could not be checked, and why"),
        ("note", "good to know"),
        ("warning", "will hurt if it goes on"),
        ("problem", "hurts now; the exit code is 1"),
    ],
);

/// Check a store and the policy file, and say what to do.
///
/// Looks at the store from outside: nothing is migrated, made or written. Whether it can be
/// reached and is up to date, whether workers take what is due, what holds it back (long
/// transactions, stuck listeners, dead rows on PostgreSQL; the log, locks, damage and the disk
/// of an SQLite file). A server is asked whether it is ready, and what it knows of its store.
/// docs/doctor.md explains every check.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[MARKS]))]
pub(crate) struct Doctor {
    /// Only ask a server whether it is ready: it is there, and its store answers
    #[arg(long)]
    ready: bool,

    /// Only ask a server whether it is there, whatever its store does, such as for the health
    /// check of a container
    #[arg(long, conflicts_with = "ready")]
    alive: bool,

    #[command(flatten)]
    place: Place,
}

impl Doctor {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let report = match self.place.chosen()? {
            Chosen::Store(_) if self.ready || self.alive => return Err(no_server()),
            Chosen::Store(url) => of_store(&url, common)?,
            Chosen::Server(address) => self.of_server(&address)?,
        };
        common.output().answer(&report)?;
        Ok(if report.is_well() { Exit::Good } else { Exit::Failed })
    }

    fn of_server(&self, address: &str) -> Result<Report, Problem> {
        let remote = self.place.remote(address)?;
        let checks = target::block_on(async {
            if self.alive {
                return Ok(vec![server::alive(&remote).await]);
            }
            let ready = server::ready(&remote).await;
            match self.ready || ready.is_bad() {
                true => Ok(vec![ready]),
                false => Ok(server::checked(&remote, ready, Timestamp::now).await),
            }
        })?;
        Ok(Report::new(address.to_owned(), checks))
    }
}

/// A health check that looks at something else than it was to look at is worse than none.
fn no_server() -> Problem {
    Problem::usage("--ready and --alive are questions to a server")
        .with_next("name it with --server, or leave them out to check the store".to_owned())
}

fn of_store(url: &str, common: &Common) -> Result<Report, Problem> {
    let mut checks = target::block_on(async { Ok(check(url).await) })?;
    checks.extend(policies::check(common));
    Ok(Report::new(Redactor::installed().text(url).into_owned(), checks))
}

async fn check(url: &str) -> Vec<Finding> {
    match examine(url, Timestamp::now).await {
        Ok(health) => judged(&health),
        Err(error) => vec![unreachable::told(url, &error)],
    }
}

fn judged(health: &Health) -> Vec<Finding> {
    let mut checks = Vec::new();
    let somebody = match &health.engine {
        EngineHealth::Postgres(own) => {
            checks.extend(postgres::server::judged(own));
            own.colleagues.as_ref().is_ok_and(|others| *others > 0)
        }
        EngineHealth::Sqlite(own) => {
            checks.extend(sqlite::files::judged(own));
            own.holders.as_ref().is_ok_and(|holders| !holders.is_empty())
        }
        _ => false,
    };
    checks.extend(work::judged(health, somebody));
    match &health.engine {
        EngineHealth::Postgres(own) => {
            checks.extend(postgres::sessions::judged(own));
            checks.extend(postgres::tables::judged(own));
        }
        EngineHealth::Sqlite(own) => checks.extend(sqlite::database::judged(own)),
        _ => {}
    }
    checks
}
