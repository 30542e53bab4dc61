//! How many nodes a second three processes get done on a PostgreSQL that writes to the disk, when
//! nothing goes wrong and nodes take no time: what is left is the cost of keeping it all.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use steadfast_flow::{Flow, Start, Workflow};
use steadfast_store::Store;
use steadfast_testing::process::Process;
use steadfast_worker::Worker;
use tokio::time::{Instant, sleep};

use super::wait_for_parent_exit;
use crate::Problem;
use crate::orders::all_ended;

const DIAMOND: &str = r#"{ "name": "diamond", "nodes": [
    { "nodeId": "reserve", "type": "note" },
    { "nodeId": "charge", "type": "note", "dependsOn": ["reserve"] },
    { "nodeId": "pack", "type": "note", "dependsOn": ["reserve"] },
    { "nodeId": "ship", "type": "note", "dependsOn": ["charge", "pack"] }
] }"#;

/// How many executions are started in one transaction.
const AT_ONCE: usize = 1000;
const PROCESSES: usize = 3;
const LOOK: Duration = Duration::from_millis(20);

/// What is promised of a build for release (X2).
pub const WANTED: f64 = 1000.0;

/// What a process that notes is told.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The PostgreSQL that all of them share.
    #[arg(long)]
    store: String,
}

/// Is one of the processes, until whoever started it is gone.
///
/// # Errors
/// The store cannot be opened.
pub async fn note(told: Arguments) -> Result<(), Problem> {
    let store = Store::open(&told.store).await?;
    let note = |note: Value| async { Ok::<_, std::io::Error>(note) };
    let worker = Worker::new(store.clone()).handle("note", note);
    println!("ready");
    Flow::new(store).serve(worker, wait_for_parent_exit()).await?;
    Ok(())
}

/// How many nodes were done, and in what time.
#[derive(Clone, Copy, Debug)]
pub struct Throughput {
    /// How many.
    pub nodes: u64,
    /// From the first start to the last end.
    pub took: Duration,
}

impl Throughput {
    /// How many of them a second.
    #[must_use]
    pub fn a_second(&self) -> f64 {
        self.nodes as f64 / self.took.as_secs_f64()
    }

    /// Measures it on a database, with processes of this program.
    ///
    /// # Errors
    /// It cannot be run, or not every node completed.
    pub async fn measure(program: &Path, database: &str, executions: u64) -> Result<Self, Problem> {
        let flow = Flow::new(Store::open(database).await?);
        let mut processes = Vec::new();
        for _ in 0..PROCESSES {
            let mut process = Command::new(program);
            process.args(["note", "--store", database]).stdout(Stdio::piped());
            processes.push(Process::start(&mut process)?);
        }
        processes.iter_mut().try_for_each(|process| process.line().map(drop))?;
        let workflow = Arc::new(Workflow::parse(DIAMOND)?);
        let since = Instant::now();
        let orders: Vec<u64> = (0..executions).collect();
        for some in orders.chunks(AT_ONCE) {
            flow.start_all(some.iter().map(|order| Start::of(&workflow, order)).collect()).await?;
        }
        while !all_ended(&flow).await? {
            sleep(LOOK).await;
        }
        let took = since.elapsed();
        let nodes = flow.store().stats().await?.completed;
        if nodes != 4 * executions {
            return Err(format!("{nodes} nodes completed of {}", 4 * executions).into());
        }
        processes.into_iter().try_for_each(|process| process.end().map(drop))?;
        Ok(Self { nodes, took })
    }
}
