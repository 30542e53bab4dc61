//! One worker process of a round.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use steadfast_store::engine::Engine;
use steadfast_store::{Postgres, Sqlite};
use steadfast_testing::process;
use steadfast_worker::{Context, Maintenance, Worker};

use crate::Problem;
use crate::journal::Journal;
use crate::journaled_roles::JournaledRoles;
use crate::work::{self, Script};

/// Short, so that leases expire within a round.
pub(crate) const LEASE: Duration = Duration::from_secs(2);

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// URL of the store
    #[arg(long)]
    store: String,
    /// File of the journal
    #[arg(long)]
    journal: PathBuf,
    /// Name of the worker
    #[arg(long)]
    name: String,
}

pub(crate) async fn engine(url: &str) -> Result<Arc<dyn Engine>, Problem> {
    Ok(match url.starts_with("sqlite:") {
        true => Arc::new(Sqlite::open(url).await?),
        false => Arc::new(Postgres::open(url).await?),
    })
}

/// Runs until it is terminated or killed.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Problem> {
    let journal = Arc::new(Journal::create(&arguments.journal)?);
    let engine = open_with_retries(&arguments.store).await?;
    let store = JournaledRoles::store(engine, journal.clone());
    let handler =
        move |script: Script, context: Context| work::run(script, context, journal.clone());
    let maintenance = Maintenance::default().reclaim_every(Duration::from_millis(300));
    std::thread::spawn(exit_with_parent);
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let worker = Worker::new(store)
        .handle(work::KIND, handler)
        .concurrency(16)
        .lease(LEASE)
        .grace(Duration::from_millis(200))
        .poll(Duration::from_millis(200))
        .name(arguments.name)
        .maintenance(maintenance);
    worker
        .run_until(async {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}

/// The database may be down when a worker is started: an init system would start it again.
async fn open_with_retries(url: &str) -> Result<Arc<dyn Engine>, Problem> {
    let mut left = 100;
    loop {
        match engine(url).await {
            Ok(engine) => return Ok(engine),
            Err(problem) if left == 0 => return Err(problem),
            Err(_) => left -= 1,
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Exits when the round's process has ended.
fn exit_with_parent() {
    process::wait_for_parent_exit();
    std::process::exit(1);
}
