//! The schedule of 7 and 14 days, of a node and of a whole execution, on a clock that is advanced.

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

/// The result of three weeks.
#[derive(Debug)]
pub struct Weeks {
    /// The start.
    pub began: Timestamp,
    /// The execution whose node was retried.
    pub execution: Execution,
    /// The task of that node, with its faults.
    pub node: StoredTask,
    /// The chain of executions, each a retry of the previous one.
    pub chain: Vec<Execution>,
    /// The ledger of the order service.
    pub ledger: Ledger,
}

impl Weeks {
    /// The number of days after the start.
    #[must_use]
    pub fn day(&self, time: Timestamp) -> i64 {
        let hours = (time.as_second() - self.began.as_second() + 1800) / 3600;
        hours / 24
    }

    /// Mismatches; empty if all is as expected.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let tried: Vec<_> = self.node.faults.iter().map(|fault| self.day(fault.at)).collect();
        let ended = self.node.ended_at.map(|at| self.day(at));
        let due: Vec<_> = self.chain.iter().map(|one| (self.day(one.due_at), one.status)).collect();
        let first = self.ledger.requests.get(&format!("{}/invoice", self.execution.id));
        let (failed, completed) = (ExecutionStatus::Failed, ExecutionStatus::Completed);
        [
            (tried == [0, 7], format!("the node failed on days {tried:?}")),
            (ended == Some(21), format!("the node ended on day {ended:?}")),
            (
                due == [(0, failed), (7, failed), (21, completed)],
                format!("the executions were due on days {due:?}"),
            ),
            (
                first.is_some_and(|request| request.calls == 1),
                format!("the completed node was called again: {first:?}"),
            ),
        ]
        .into_iter()
        .filter_map(|(holds, problem)| (!holds).then_some(problem))
        .collect()
    }
}

/// Timeout for each step.
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Lets three weeks pass on a database, with an instance of this program.
///
/// # Errors
/// It cannot run, or an expected change does not happen.
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
    let [one, other] = started[..] else { return Err("expected two executions".into()) };
    for (failures, days) in [(1, 7), (2, 14)] {
        until(|| async { has_failed(&flow, one, other, failures).await }).await?;
        clock.advance(days).await?;
    }
    until(|| all_ended(&flow)).await?;
    fleet.end()?;
    let execution = flow.execution(one).await?;
    let node = partner(&flow, &execution).await?.ok_or("its node has not started")?;
    let chain = flow.chain(other).await?;
    Ok(Weeks { began, execution, node, chain, ledger: shop.close()? })
}

/// Whether both have failed this many times.
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
        if since.elapsed() > TIMEOUT {
            return Err("timeout: a due node or execution did not run".into());
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}
