//! One instance of the service. Any number of them may run on one PostgreSQL, on any machine;
//! none knows of the others, and each may be killed at any moment.

use std::time::Duration;

use steadfast_flow::Flow;
use steadfast_store::Store;
use steadfast_worker::Worker;
use steadfast_worker::handlers::{Http, Targets};

use crate::Problem;

/// What an instance is told.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The PostgreSQL that all instances share.
    #[arg(long)]
    store: String,
    /// What it is called in leases.
    #[arg(long)]
    name: String,
}

/// How long the store waits for a sign of life before it gives an instance's nodes to others. A
/// service would leave it at ten minutes; here somebody is watching.
const LEASE: Duration = Duration::from_secs(2);

/// How many nodes it runs at a time.
const CONCURRENCY: u32 = 16;

/// Works until it is told to end, and then ends in order.
///
/// # Errors
/// The store cannot be opened.
pub async fn run(told: Arguments, shutdown: impl Future<Output = ()>) -> Result<(), Problem> {
    let store = Store::open(&told.store).await?;
    let loopback = Targets::new(["127.0.0.1".parse()?]);
    let worker = Worker::new(store.clone())
        .http(Http::new(loopback)?)
        .name(told.name)
        .concurrency(CONCURRENCY)
        .lease(LEASE);
    println!("ready");
    Flow::new(store).serve(worker, shutdown).await?;
    Ok(())
}
