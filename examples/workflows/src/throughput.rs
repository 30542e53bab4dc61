//! How many nodes a second three instances get done, when nothing goes wrong and nodes take no
//! time: what is left is the cost of keeping it all.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use steadfast_flow::{Flow, Start, Workflow};
use steadfast_store::{Stats, Store};
use tokio::time::{Instant, sleep};

use crate::Problem;
use crate::fleet::Fleet;
use crate::storm::all_ended;

const QUICK: &str = include_str!("../workflows/quick.json");
const INSTANCES: usize = 3;
const CONCURRENCY: u32 = 100;
/// How many executions are started in one transaction.
const AT_ONCE: usize = 1000;
const LOOK: Duration = Duration::from_millis(20);

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// The nodes, by how they ended.
    pub nodes: Stats,
    /// From the first start to the last end.
    pub took: Duration,
}

impl Measured {
    /// Nodes that completed in a second.
    #[must_use]
    pub fn a_second(&self) -> f64 {
        self.nodes.completed as f64 / self.took.as_secs_f64()
    }
}

/// Runs so many executions of four nodes each.
///
/// # Errors
/// It cannot be run.
pub async fn run(program: &Path, database: &str, executions: u64) -> Result<Measured, Problem> {
    let flow = Flow::new(Store::open(database).await?);
    let fleet = Fleet::start(program, database, INSTANCES, CONCURRENCY).await?;
    let workflow = Arc::new(Workflow::parse(QUICK)?);
    let since = Instant::now();
    let orders: Vec<u64> = (0..executions).collect();
    for some in orders.chunks(AT_ONCE) {
        let start = |order: &u64| Start::of(&workflow, &json!({ "order": order }));
        flow.start_all(some.iter().map(start).collect()).await?;
    }
    while !all_ended(&flow).await? {
        sleep(LOOK).await;
    }
    let took = since.elapsed();
    fleet.end().await?;
    Ok(Measured { nodes: flow.store().stats().await?, took })
}
