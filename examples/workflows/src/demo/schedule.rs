//! The schedule of 7 and 14 days, of a node and of a whole execution, by a clock that is put
//! forward.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use steadfast_flow::{Execution, ExecutionId, ExecutionStatus, Flow, Start, Workflow};
use steadfast_store::{Store, StoredTask};
use tokio::time::{Instant, sleep};

use super::clock::Clock;
use super::fleet::{Fleet, Shop};
use super::ledger::Ledger;
use crate::Problem;
use crate::orders::all_ended;

const OF_A_NODE: &str = include_str!("../../workflows/partner-node.json");
const OF_AN_EXECUTION: &str = include_str!("../../workflows/partner-execution.json");

/// What happened in three weeks.
#[derive(Debug)]
pub struct Weeks {
    /// When it began.
    pub began: Timestamp,
    /// The execution whose node was tried again.
    pub execution: Execution,
    /// The task of that node, with its faults.
    pub node: StoredTask,
    /// The executions of which each is a new try.
    pub chain: Vec<Execution>,
    /// What the shop did.
    pub ledger: Ledger,
}

impl Weeks {
    /// How many days after the beginning.
    #[must_use]
    pub fn day(&self, time: Timestamp) -> i64 {
        let hours = (time.as_second() - self.began.as_second() + 1800) / 3600;
        hours / 24
    }

    /// What should not be. Nothing, if all is well.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let tried: Vec<_> = self.node.faults.iter().map(|fault| self.day(fault.at)).collect();
        let ended = self.node.ended_at.map(|at| self.day(at));
        let due: Vec<_> = self.chain.iter().map(|one| (self.day(one.due_at), one.status)).collect();
        let first = self.ledger.deeds.get(&format!("{}/invoice", self.execution.id));
        let (failed, completed) = (ExecutionStatus::Failed, ExecutionStatus::Completed);
        [
            (tried == [0, 7], format!("the node was tried in vain on the days {tried:?}")),
            (ended == Some(21), format!("the node ended on day {ended:?}")),
            (
                due == [(0, failed), (7, failed), (21, completed)],
                format!("the executions were due on the days {due:?}"),
            ),
            (
                first.is_some_and(|deed| deed.calls == 1),
                format!("the node that had completed was asked again: {first:?}"),
            ),
        ]
        .into_iter()
        .filter_map(|(holds, problem)| (!holds).then_some(problem))
        .collect()
    }
}

/// How long something may take that takes a moment.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);

/// Lets three weeks pass on a database, with an instance of this program.
///
/// # Errors
/// It cannot be run, or what should happen does not.
pub async fn run(program: &Path, database: &str) -> Result<Weeks, Problem> {
    let mut clock = Clock::of(database).await?;
    let shop = Shop::open(program, 0)?;
    let flow = Flow::new(Store::open(database).await?);
    let began = flow.store().now().await?;
    let fleet = Fleet::start(program, database, 1)?;
    let mut started = Vec::new();
    for (order, text) in [(1, OF_A_NODE), (2, OF_AN_EXECUTION)] {
        let trigger = json!({ "order": order, "shop": shop.url });
        started.push(flow.start(Start::of(&Workflow::parse(text)?, &trigger)).await?.id);
    }
    let [one, other] = started[..] else { return Err("two were started".into()) };
    for (failures, days) in [(1, 7), (2, 14)] {
        until(|| async { has_failed(&flow, one, other, failures).await }).await?;
        clock.put_forward(days).await?;
    }
    until(|| all_ended(&flow)).await?;
    fleet.end()?;
    let execution = flow.execution(one).await?;
    let node = partner(&flow, &execution).await?.ok_or("its node never began")?;
    let chain = flow.chain(other).await?;
    Ok(Weeks { began, execution, node, chain, ledger: shop.close()? })
}

/// Whether both were tried so often, and in vain.
async fn has_failed(
    flow: &Flow,
    one: ExecutionId,
    other: ExecutionId,
    times: usize,
) -> Result<bool, Problem> {
    let node = partner(flow, &flow.execution(one).await?).await?;
    let faults = node.map_or(0, |task| task.faults.len());
    Ok(faults == times && flow.chain(other).await?.len() == times + 1)
}

async fn partner(flow: &Flow, execution: &Execution) -> Result<Option<StoredTask>, Problem> {
    let Some(task) = execution.node("partner").and_then(|node| node.task) else {
        return Ok(None);
    };
    Ok(Some(flow.store().task(task).await?))
}

async fn until<F>(mut is_so: impl FnMut() -> F) -> Result<(), Problem>
where
    F: Future<Output = Result<bool, Problem>>,
{
    let since = Instant::now();
    while !is_so().await? {
        if since.elapsed() > PATIENCE {
            return Err("what is due is not done".into());
        }
        sleep(LOOK).await;
    }
    Ok(())
}
