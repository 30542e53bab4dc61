//! A run of orders while instances are killed and restarted.

use std::path::Path;
use std::time::Duration;

use fastrand::Rng;
use steadfast_flow::{ExecutionId, Flow};
use steadfast_store::Store;
use tokio::time::{Instant, sleep};

use super::fleet::{Fleet, Shop};
use super::ledger::Ledger;
use crate::Problem;
use crate::orders::{all_ended, take_in};

/// How much of it.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Storm {
    /// How many orders, each an execution of four nodes.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub orders: u64,
    /// How many instances are killed meanwhile.
    #[arg(long, default_value_t = 12)]
    pub kills: u32,
    /// What goes wrong, and when.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What is left when it is over.
#[derive(Debug)]
pub struct Left {
    /// The executions, one for each order, in their order.
    pub started: Vec<ExecutionId>,
    /// What the shop did.
    pub ledger: Ledger,
    /// How many instances were killed.
    pub kills: u32,
    /// How long it took, from the first start to the last end.
    pub took: Duration,
}

const INSTANCES: usize = 3;

/// How long it may take before executions count as lost.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often it is looked whether all have ended, and how often it is told how far it is.
const LOOK: Duration = Duration::from_millis(50);
const TELL: Duration = Duration::from_secs(2);

impl Storm {
    /// Runs it on a database, with processes of this program, until every execution has ended.
    ///
    /// # Errors
    /// It cannot be run, or executions do not end.
    pub async fn run(&self, program: &Path, database: &str) -> Result<Left, Problem> {
        let shop = Shop::open(program, self.seed)?;
        let flow = Flow::new(Store::open(database).await?);
        let mut fleet = Fleet::start(program, database, INSTANCES)?;
        let since = Instant::now();
        let started = take_in(&flow, &shop.url, self.orders).await?;
        let mut trouble = Trouble::new(self);
        let mut tell_at = TELL;
        while !all_ended(&flow).await? {
            if since.elapsed() > PATIENCE {
                return Err("executions have not ended in a long time; are they lost?".into());
            }
            if since.elapsed() > tell_at {
                tell(&flow, since.elapsed(), trouble.kills).await?;
                tell_at += TELL;
            }
            trouble.make(&mut fleet, flow.store().stats().await?.completed)?;
            sleep(LOOK).await;
        }
        let took = since.elapsed();
        fleet.end()?;
        Ok(Left { started, ledger: shop.close()?, kills: trouble.kills, took })
    }
}

async fn tell(flow: &Flow, since: Duration, kills: u32) -> Result<(), Problem> {
    let nodes = flow.store().stats().await?;
    let (since, open) = (since.as_secs_f64(), nodes.pending + nodes.scheduled + nodes.running);
    let (completed, failed) = (nodes.completed, nodes.failed);
    println!(
        "{since:5.1} s  {completed} nodes completed, {failed} failed, {open} open, {kills} instances killed"
    );
    Ok(())
}

/// When the next instance is killed: by what was done, so that a fast machine is hit as often as a
/// slow one.
struct Trouble {
    chance: Rng,
    /// After how many completed nodes.
    next: u64,
    between: u64,
    most: u32,
    kills: u32,
}

impl Trouble {
    fn new(storm: &Storm) -> Self {
        let mut chance = Rng::with_seed(storm.seed);
        // Nearly all of four nodes complete, so that the last blow comes while much is open.
        let between = (3 * storm.orders / u64::from(storm.kills.max(1))).max(1);
        Self { next: chance.u64(1..=between), chance, between, most: storm.kills, kills: 0 }
    }

    fn make(&mut self, fleet: &mut Fleet<'_>, completed: u64) -> Result<(), Problem> {
        while completed >= self.next {
            // What was killed before comes back with the next blow: meanwhile there is one less.
            fleet.bring_back()?;
            if self.kills < self.most {
                fleet.kill(self.chance.usize(..))?;
                self.kills += 1;
            }
            self.next += self.between;
        }
        Ok(())
    }
}
