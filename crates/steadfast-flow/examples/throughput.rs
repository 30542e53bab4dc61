//! How many nodes a second three processes get done on a PostgreSQL that writes to the disk, when
//! nothing goes wrong and nodes take no time: what is left is the cost of keeping it all.
//!
//! `cargo run --release --package steadfast-flow --example throughput`

use std::error::Error;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use steadfast_flow::{ExecutionFilter, ExecutionStatus, Flow, Start, Workflow};
use steadfast_store::{PageRequest, Store};
use steadfast_testing::postgres::{Host, Settings};
use steadfast_testing::process::Process;
use steadfast_worker::Worker;

const DIAMOND: &str = r#"{ "name": "diamond", "nodes": [
    { "nodeId": "reserve", "type": "note" },
    { "nodeId": "charge", "type": "note", "dependsOn": ["reserve"] },
    { "nodeId": "pack", "type": "note", "dependsOn": ["reserve"] },
    { "nodeId": "ship", "type": "note", "dependsOn": ["charge", "pack"] }
] }"#;

const EXECUTIONS: u64 = 5000;
/// How many executions are started in one transaction.
const AT_ONCE: usize = 1000;
const PROCESSES: usize = 3;
const LOOK: Duration = Duration::from_millis(20);

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    if let Some(store) = std::env::args().nth(1) {
        return runtime.block_on(work(&store));
    }
    let host = Host::find(None, Settings { durable: true, ..Settings::default() })?;
    println!("{EXECUTIONS} executions of 4 nodes, {PROCESSES} processes; {}", host.name()?);
    let database = host.database()?;
    runtime.block_on(measure(database.url()))
}

/// Is one of the processes, until it is killed.
async fn work(store: &str) -> Result<(), Box<dyn Error>> {
    let store = Store::open(store).await?;
    let note = |note: Value| async { Ok::<_, std::io::Error>(note) };
    let worker = Worker::new(store.clone()).handle("note", note);
    println!("ready");
    Ok(Flow::new(store).serve(worker, std::future::pending()).await?)
}

async fn measure(database: &str) -> Result<(), Box<dyn Error>> {
    let flow = Flow::new(Store::open(database).await?);
    let mut processes = Vec::new();
    for _ in 0..PROCESSES {
        let mut this = Command::new(std::env::current_exe()?);
        processes.push(Process::start(this.arg(database).stdout(Stdio::piped()))?);
    }
    processes.iter_mut().try_for_each(|process| process.line().map(drop))?;
    let workflow = Arc::new(Workflow::parse(DIAMOND)?);
    let since = Instant::now();
    let orders: Vec<u64> = (0..EXECUTIONS).collect();
    for some in orders.chunks(AT_ONCE) {
        flow.start_all(some.iter().map(|order| Start::of(&workflow, order)).collect()).await?;
    }
    let running = ExecutionFilter::all().status(ExecutionStatus::Running);
    let one = PageRequest { limit: 1, after: None };
    while !flow.executions(&running, &one).await?.items.is_empty() {
        tokio::time::sleep(LOOK).await;
    }
    let took = since.elapsed().as_secs_f64();
    let nodes = flow.store().stats().await?.completed;
    if nodes != 4 * EXECUTIONS {
        return Err(format!("{nodes} nodes completed").into());
    }
    println!("{nodes} nodes in {took:.1} s: {:.0} node executions a second", nodes as f64 / took);
    Ok(())
}
