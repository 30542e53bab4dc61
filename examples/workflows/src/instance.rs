//! One instance of the service. Any number of them may run on one PostgreSQL, on any machine;
//! none knows of the others, and each may be killed at any moment.

use std::time::Duration;

use serde_json::Value;
use steadfast_flow::Flow;
use steadfast_store::Store;
use steadfast_worker::handlers::{Http, Targets};
use steadfast_worker::{Maintenance, Worker};

use crate::{Problem, process};

/// What an instance is told.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The PostgreSQL that all instances share.
    #[arg(long)]
    store: String,
    /// What it is called in leases.
    #[arg(long)]
    name: String,
    /// How many nodes it runs at a time.
    #[arg(long)]
    concurrency: u32,
}

/// How long the store waits for a sign of life before it gives an instance's nodes to others. A
/// service would leave it at ten minutes; here somebody is watching.
const LEASE: Duration = Duration::from_secs(2);

/// Works until whoever started it is gone.
///
/// # Errors
/// The store cannot be opened.
pub async fn run(told: Arguments) -> Result<(), Problem> {
    let store = Store::open(&told.store).await?;
    let loopback = Targets::new(["127.0.0.1".parse()?]);
    let worker = Worker::new(store.clone())
        .http(Http::new(loopback)?)
        .handle("note", |note: Value| async { Ok::<_, std::io::Error>(note) })
        .name(told.name)
        .concurrency(told.concurrency)
        .lease(LEASE)
        .maintenance(Maintenance::default().reclaim_every(LEASE / 10));
    let flow = Flow::new(store).sweep_every(LEASE / 4);
    println!("ready");
    flow.serve(worker, process::parent_is_gone()).await?;
    Ok(())
}
