//! Several tasks write a knowledge graph while the server has a bad day; then the books are
//! checked, and it is measured what the retry layer costs on a good one.

mod trial;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use example_storage::Database;
use jiff::Timestamp;
use steadfast::observe::{Memory, Tally};
use steadfast_testing::postgres::{Host, Settings, System};

use trial::{load, overhead, report, storm};

/// Whatever went wrong with the program itself.
type Problem = Box<dyn std::error::Error + Send + Sync>;

/// Opposite relations are many here, so nobody should wait a second to be told.
const DEADLOCKS_ARE_SEEN_AFTER: &str = "deadlock_timeout=100ms";

/// A graph and a vector storage on PostgreSQL, through restarts, cut sessions and deadlocks.
#[derive(Debug, Parser)]
struct Arguments {
    /// A PostgreSQL of yours (postgres://user@host/postgres) instead of a throwaway one. A
    /// database is made on it and dropped; it is not restarted.
    #[arg(long, value_name = "URL", conflicts_with = "extensions")]
    server: Option<String>,
    /// A throwaway one that has Apache AGE and pgvector; as root, and the first time it is
    /// fetched (half a gigabyte).
    #[arg(long)]
    extensions: bool,
    /// How often everything that can happen to the server happens.
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// How many upserts are measured, each with the retry layer and without.
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

/// Says whether all went well.
async fn run(arguments: Arguments) -> Result<bool, Problem> {
    let system = arguments.extensions.then(System::with_age_and_pgvector).transpose()?;
    let options = vec![DEADLOCKS_ARE_SEEN_AFTER.to_owned()];
    // As in earnest: what is promised is on the disk, and what is measured waits for it.
    let settings = Settings { durable: true, system, options, ..Settings::default() };
    let mut host = Host::find(arguments.server.as_deref(), settings)?;
    let place = host.database()?;
    let records = Arc::<Memory>::default();
    let database = Database::open(place.url()).await?.recorded(&records);
    println!("{}: {}", host.name()?, database.form());

    println!("\n{} tasks write, and meanwhile:", load::TASKS);
    let mut tally = Tally::new(Timestamp::now(), Timestamp::MAX);
    let load = load::Load::start(&database).await?;
    storm::play(&mut host, place.url(), &load, &records, arguments.rounds).await?;
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
