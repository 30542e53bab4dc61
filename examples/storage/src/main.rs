//! The demo of the storages: concurrent writers during server faults, a check of the result, and the
//! overhead of the retry layer without faults.

mod demo;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use example_storage::Database;
use jiff::Timestamp;
use steadfast::observe::{Memory, Tally};
use steadfast_testing::postgres::{Host, Settings, System};

use demo::{load, overhead, report, server_faults};

/// An error of the program itself.
type Problem = Box<dyn std::error::Error + Send + Sync>;

/// Deadlocks are frequent here, so they are detected sooner than after the default second.
const DEADLOCK_TIMEOUT: &str = "deadlock_timeout=100ms";

/// Write to a graph and a vector storage on PostgreSQL during restarts, terminated sessions and deadlocks
#[derive(Debug, Parser)]
struct Arguments {
    /// PostgreSQL to use instead of a temporary one (postgres://user@host/postgres). A
    /// database is created on it and dropped; the server is not restarted
    #[arg(long, value_name = "URL", conflicts_with = "extensions")]
    server: Option<String>,
    /// Use a temporary server with Apache AGE and pgvector; needs root, and downloads half a gigabyte
    /// on first use
    #[arg(long)]
    extensions: bool,
    /// Rounds of server faults
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// Number of measured upserts, each with and without the retry layer
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    measured: u32,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all checks passed.
async fn run(arguments: Arguments) -> Result<bool, Problem> {
    let system = arguments.extensions.then(System::with_age_and_pgvector).transpose()?;
    let options = vec![DEADLOCK_TIMEOUT.to_owned()];
    // As in production: commits wait for the disk.
    let settings = Settings { durable: true, system, options, ..Settings::default() };
    let mut host = Host::find(arguments.server.as_deref(), settings)?;
    let place = host.database()?;
    let records = Arc::<Memory>::default();
    let database = Database::open(place.url()).await?.recorded(&records);
    println!("{}: {}", host.name()?, database.form());

    println!("\n{} concurrent writers, and faults:", load::TASKS);
    let mut tally = Tally::new(Timestamp::now(), Timestamp::MAX);
    let load = load::Load::start(&database).await?;
    server_faults::play(&mut host, place.url(), &load, &records, arguments.rounds).await?;
    let done = load.stop().await?;
    let sessions = records.sessions();
    for session in &sessions {
        tally.add(session);
    }
    let books = done.check(&database).await?;
    report::print(&done, &tally.summary(), &sessions, &books);

    let costs_little = overhead::show(place.url(), arguments.measured).await?;
    Ok(done.gave_up.is_empty() && books.are_right() && costs_little)
}
