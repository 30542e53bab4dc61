//! Several tasks write a knowledge graph while the server has a bad day; then the books are
//! checked, and it is measured what all the caution costs on a good one.

mod load;
mod overhead;
mod report;
mod server;
mod storm;

use std::process::ExitCode;

use clap::Parser;
use example_storage::Database;
use example_storage::events::Events;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use server::Server;

/// Whatever went wrong with the program itself.
type Problem = Box<dyn std::error::Error + Send + Sync>;

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
    let events = Events::default();
    tracing_subscriber::registry().with(LevelFilter::INFO).with(events.clone()).init();

    let mut server = Server::start(arguments.server.as_deref(), arguments.extensions)?;
    let database = Database::open(server.url()).await?;
    println!("PostgreSQL {}: {}", server.version().await?, database.form());

    println!("\n{} tasks write, and meanwhile:", load::TASKS);
    let load = load::Load::start(&database).await?;
    storm::play(&mut server, &load, &events, arguments.rounds).await?;
    let done = load.stop().await?;
    let told = events.so_far();
    let books = done.check(&database).await?;
    report::print(&done, &told, &books);

    overhead::show(server.url(), arguments.measured).await?;
    Ok(done.gave_up.is_empty() && books.are_right())
}
