//! One instance of the service.
//!
//! Any number of instances can run on one PostgreSQL, on any machine. They need no knowledge of each
//! other, and each may be killed at any moment.

use std::time::Duration;

use steadfast_flow::Flow;
use steadfast_store::Store;
use steadfast_worker::Worker;
use steadfast_worker::handlers::{Http, Targets};

use crate::Problem;

/// The arguments of an instance.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The PostgreSQL that all instances share.
    #[arg(long)]
    store: String,
    /// Its name in leases.
    #[arg(long)]
    name: String,
}

/// How long the store waits for a heartbeat before other instances reclaim the nodes. A service would
/// use the default of ten minutes; the demo is shorter.
const LEASE: Duration = Duration::from_secs(2);

/// How many nodes it runs concurrently.
const CONCURRENCY: u32 = 16;

/// Runs until `shutdown` resolves, then shuts down gracefully.
///
/// # Errors
/// The store cannot be opened.
pub async fn run(arguments: Arguments, shutdown: impl Future<Output = ()>) -> Result<(), Problem> {
    let store = Store::open(&arguments.store).await?;
    let loopback = Targets::new(["127.0.0.1".parse()?]);
    let worker = Worker::new(store.clone())
        .http(Http::new(loopback)?)
        .name(arguments.name)
        .concurrency(CONCURRENCY)
        .lease(LEASE);
    println!("ready");
    Flow::new(store).serve(worker, shutdown).await?;
    Ok(())
}
