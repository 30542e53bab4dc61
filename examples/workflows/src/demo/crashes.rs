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

/// The size of the demo.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Storm {
    /// Number of orders, each an execution of four nodes.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub orders: u64,
    /// Number of instances to kill.
    #[arg(long, default_value_t = 12)]
    pub kills: u32,
    /// Seed of the injected faults and kills.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// The result of a run.
#[derive(Debug)]
pub struct Left {
    /// The executions, one for each order, in their order.
    pub started: Vec<ExecutionId>,
    /// The ledger of the order service.
    pub ledger: Ledger,
    /// How many instances were killed.
    pub kills: u32,
    /// The time from the first start to the last end.
    pub took: Duration,
}

const INSTANCES: usize = 3;

/// Timeout after which executions count as lost.
const TIMEOUT: Duration = Duration::from_secs(300);

/// How often the end is checked, and how often the progress is printed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

impl Storm {
    /// Runs the orders on a database, with processes of this program, until every execution has ended.
    ///
    /// # Errors
    /// It cannot run, or executions do not end.
    pub async fn run(&self, program: &Path, database: &str) -> Result<Left, Problem> {
        let shop = Shop::open(program, self.seed)?;
        let flow = Flow::new(Store::open(database).await?);
        let mut fleet = Fleet::start(program, database, INSTANCES)?;
        let since = Instant::now();
        let started = take_in(&flow, &shop.url, self.orders).await?;
        let mut kill_schedule = KillSchedule::new(self);
        let mut report_at = REPORT_INTERVAL;
        while !all_ended(&flow).await? {
            if since.elapsed() > TIMEOUT {
                return Err("executions have not ended in a long time; are they lost?".into());
            }
            if since.elapsed() > report_at {
                report_progress(&flow, since.elapsed(), kill_schedule.kills).await?;
                report_at += REPORT_INTERVAL;
            }
            kill_schedule.apply(&mut fleet, flow.store().stats().await?.completed)?;
            sleep(POLL_INTERVAL).await;
        }
        let took = since.elapsed();
        fleet.end()?;
        Ok(Left { started, ledger: shop.close()?, kills: kill_schedule.kills, took })
    }
}

async fn report_progress(flow: &Flow, since: Duration, kills: u32) -> Result<(), Problem> {
    let nodes = flow.store().stats().await?;
    let (since, open) = (since.as_secs_f64(), nodes.pending + nodes.scheduled + nodes.running);
    let (completed, failed) = (nodes.completed, nodes.failed);
    println!(
        "{since:5.1} s  {completed} nodes completed, {failed} failed, {open} open, {kills} instances killed"
    );
    Ok(())
}

/// The schedule of kills: by completed nodes, so that a fast machine has as many kills as a slow
/// one.
struct KillSchedule {
    chance: Rng,
    /// The number of completed nodes at the next kill.
    next: u64,
    between: u64,
    most: u32,
    kills: u32,
}

impl KillSchedule {
    fn new(storm: &Storm) -> Self {
        let mut chance = Rng::with_seed(storm.seed);
        // Nearly all of four nodes complete, so the last kill is while many are open.
        let between = (3 * storm.orders / u64::from(storm.kills.max(1))).max(1);
        Self { next: chance.u64(1..=between), chance, between, most: storm.kills, kills: 0 }
    }

    fn apply(&mut self, fleet: &mut Fleet<'_>, completed: u64) -> Result<(), Problem> {
        while completed >= self.next {
            // A killed instance is restarted at the next kill: until then there is one less.
            fleet.restart_killed()?;
            if self.kills < self.most {
                fleet.kill(self.chance.usize(..))?;
                self.kills += 1;
            }
            self.next += self.between;
        }
        Ok(())
    }
}
