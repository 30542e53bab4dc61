//! Orders are done while instances are killed and come back.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use serde_json::json;
use steadfast_flow::{ExecutionFilter, ExecutionId, ExecutionStatus, Flow, Start, Workflow};
use steadfast_store::{PageRequest, Stats, Store};
use tokio::time::{Instant, sleep};

use crate::Problem;
use crate::fleet::Fleet;
use crate::ledger::Ledger;
use crate::process::Process;

/// What is done, in what order, and how each step is tried again.
pub const ORDER: &str = include_str!("../workflows/order.json");

/// How much of it.
#[derive(Clone, Copy, Debug)]
pub struct Storm {
    /// How many orders, each an execution of four nodes.
    pub orders: u64,
    /// How many instances at a time.
    pub instances: usize,
    /// How many of them are killed.
    pub kills: u32,
    /// What goes wrong, and when.
    pub seed: u64,
    /// How many nodes an instance runs at a time.
    pub concurrency: u32,
    /// How long it may take before executions count as lost.
    pub patience: Duration,
}

/// What is left when it is over.
#[derive(Debug)]
pub struct Left {
    /// The executions, one for each order, in their order.
    pub started: Vec<ExecutionId>,
    /// What the service did.
    pub ledger: Ledger,
    /// How many instances were killed.
    pub kills: u32,
    /// How long it took, from the first start to the last end.
    pub took: Duration,
}

/// How far it is.
#[derive(Debug)]
pub struct Progress {
    /// Since when.
    pub since: Duration,
    /// The tasks of nodes, by where they are.
    pub nodes: Stats,
    /// How many instances were killed.
    pub kills: u32,
}

/// How often it is looked whether all have ended.
const LOOK: Duration = Duration::from_millis(200);

impl Storm {
    /// Runs it on a database, with processes of this program, until every execution has ended.
    ///
    /// # Errors
    /// It cannot be run, or executions do not end.
    pub async fn run(
        &self,
        program: &Path,
        database: &str,
        mut tell: impl FnMut(&Progress),
    ) -> Result<Left, Problem> {
        let mut shop = Process::start(program, &["service", "--seed", &self.seed.to_string()])?;
        let address = shop.line().await?;
        let flow = Flow::new(Store::open(database).await?);
        let mut fleet = Fleet::start(program, database, self.instances, self.concurrency).await?;
        let since = Instant::now();
        let started = self.start(&flow, &address).await?;
        let mut trouble = Trouble::new(self);
        while !all_ended(&flow).await? {
            let (nodes, kills) = (flow.store().stats().await?, trouble.kills);
            tell(&Progress { since: since.elapsed(), nodes, kills });
            if since.elapsed() > self.patience {
                return Err("executions have not ended in a long time; are they lost?".into());
            }
            trouble.make(&mut fleet).await?;
            sleep(LOOK).await;
        }
        let took = since.elapsed();
        fleet.end().await?;
        let ledger = shop.end().await?.ok_or("the service did not say what it did")?;
        let ledger = serde_json::from_str(&ledger)?;
        Ok(Left { started, ledger, kills: trouble.kills, took })
    }

    /// Starts an execution for each order. A key makes starting twice starting once.
    async fn start(&self, flow: &Flow, shop: &str) -> Result<Vec<ExecutionId>, Problem> {
        let workflow = Arc::new(Workflow::parse(ORDER)?);
        let start = |order: u64| {
            let trigger = json!({ "order": order, "shop": shop });
            Start::of(&workflow, &trigger).key(format!("order-{order}"))
        };
        let started = flow.start_all((0..self.orders).map(start).collect()).await?;
        Ok(started.into_iter().map(|one| one.id).collect())
    }
}

/// Whether every execution has ended, those that follow failed ones included.
///
/// # Errors
/// The database failed.
pub async fn all_ended(flow: &Flow) -> Result<bool, Problem> {
    let running = ExecutionFilter::all().status(ExecutionStatus::Running);
    let one = PageRequest { limit: 1, after: None };
    Ok(flow.executions(&running, &one).await?.items.is_empty())
}

/// When the next instance is killed, and which are to come back.
struct Trouble {
    chance: Rng,
    next: Instant,
    most: u32,
    kills: u32,
}

impl Trouble {
    fn new(storm: &Storm) -> Self {
        let mut chance = Rng::with_seed(storm.seed);
        let next = Instant::now() + Duration::from_millis(chance.u64(300..900));
        Self { chance, next, most: storm.kills, kills: 0 }
    }

    async fn make(&mut self, fleet: &mut Fleet<'_>) -> Result<(), Problem> {
        if Instant::now() < self.next {
            return Ok(());
        }
        // What was killed before comes back with the next blow: meanwhile there is one less.
        fleet.bring_back()?;
        if self.kills < self.most {
            fleet.kill(self.chance.usize(..)).await?;
            self.kills += 1;
        }
        self.next = Instant::now() + Duration::from_millis(self.chance.u64(300..900));
        Ok(())
    }
}
