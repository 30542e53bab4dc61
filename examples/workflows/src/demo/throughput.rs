//! Throughput of three processes with no-op nodes, on a PostgreSQL that flushes to disk.

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
const STARTS_PER_TRANSACTION: usize = 1000;
const PROCESSES: usize = 3;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The goal for a release build, in node executions per second (X2).
pub const GOAL_PER_SECOND: f64 = 1000.0;

/// The arguments of a process with no-op nodes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The PostgreSQL that all of them share.
    #[arg(long)]
    store: String,
}

/// Runs one of the processes, until its parent process ends.
///
/// # Errors
/// The store cannot be opened.
pub async fn note(arguments: Arguments) -> Result<(), Problem> {
    let store = Store::open(&arguments.store).await?;
    let note = |note: Value| async { Ok::<_, std::io::Error>(note) };
    let worker = Worker::new(store.clone()).handle("note", note);
    println!("ready");
    Flow::new(store).serve(worker, wait_for_parent_exit()).await?;
    Ok(())
}

/// The number of completed nodes, and the time they took.
#[derive(Clone, Copy, Debug)]
pub struct Throughput {
    /// The number of nodes.
    pub nodes: u64,
    /// The time from the first start to the last end.
    pub took: Duration,
}

impl Throughput {
    /// Node executions per second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.nodes as f64 / self.took.as_secs_f64()
    }

    /// Measures the throughput on a database, with processes of this program.
    ///
    /// # Errors
    /// It cannot run, or not every node completed.
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
        for some in orders.chunks(STARTS_PER_TRANSACTION) {
            flow.start_all(some.iter().map(|order| Start::of(&workflow, order)).collect()).await?;
        }
        while !all_ended(&flow).await? {
            sleep(POLL_INTERVAL).await;
        }
        let took = since.elapsed();
        let nodes = flow.store().stats().await?.completed;
        if nodes != 4 * executions {
            return Err(format!("{nodes} of {} nodes completed", 4 * executions).into());
        }
        processes.into_iter().try_for_each(|process| process.end().map(drop))?;
        Ok(Self { nodes, took })
    }
}
