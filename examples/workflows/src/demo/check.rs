//! Recorded in the store, compared with what the shop did: nothing lost, nothing done twice,
//! and every end as it had to be.

use std::collections::HashMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use steadfast_flow::{
    Execution, ExecutionId, ExecutionNode, ExecutionNodeStatus, ExecutionStatus, Flow,
};
use steadfast_store::{Documents, Filter, PageRequest, Status, StoredTask};

use super::crashes::Left;
use super::faults::{Fate, fate};
use super::ledger::Ledger;
use crate::Problem;

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The chain of executions of each order, in the orders' order.
    pub chains: Vec<Vec<Execution>>,
    /// Executions that completed.
    pub completed: u64,
    /// Executions that failed.
    pub failed: u64,
    /// Those of them that another followed.
    pub followed: u64,
    /// Executions and nodes that have no end.
    pub lost: u64,
    /// Nodes that completed.
    pub nodes_completed: u64,
    /// Nodes that failed.
    pub nodes_failed: u64,
    /// Nodes that were called off, because one beside them failed.
    pub nodes_cancelled: u64,
    /// Attempts of all nodes, and waits that the shop asked for.
    pub attempts: u64,
    /// What should not be. Nothing, if all is well.
    pub problems: Vec<String>,
}

/// How many executions are read at a time.
const AT_A_TIME: usize = 8;

/// Looks at everything.
///
/// # Errors
/// The database failed.
pub async fn check(flow: &Flow, left: &Left) -> Result<Found, Problem> {
    let mut found = Found::default();
    let tasks = found.tasks(flow).await?;
    let mut chains =
        stream::iter(&left.started).map(|first| chain(flow, *first)).buffered(AT_A_TIME);
    while let Some(chain) = chains.try_next().await? {
        found.order(found.chains.len() as u64, &chain);
        for execution in &chain {
            found.execution(execution, &tasks, &left.ledger);
        }
        found.chains.push(chain);
    }
    let lost = found.lost;
    found.expect(lost == 0, || format!("{lost} executions and nodes have no end"));
    let nodes = found.nodes_completed + found.nodes_failed + found.nodes_cancelled;
    found.expect(tasks.len() as u64 == nodes, || {
        format!("there are {} tasks for {nodes} nodes", tasks.len())
    });
    Ok(found)
}

/// An execution and those that follow it, with their nodes.
async fn chain(flow: &Flow, first: ExecutionId) -> Result<Vec<Execution>, Problem> {
    let mut chain = vec![flow.execution(first).await?];
    while let Some(next) = chain.last().and_then(|execution| execution.next) {
        chain.push(flow.execution(next).await?);
    }
    Ok(chain)
}

impl Found {
    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(what());
        }
    }

    /// The task of each node, by its key: one for each node, and each has ended.
    async fn tasks(&mut self, flow: &Flow) -> Result<HashMap<String, StoredTask>, Problem> {
        let mut tasks = HashMap::new();
        let mut page = PageRequest { limit: 1000, after: None };
        loop {
            let some = flow.store().tasks_with(&Filter::all(), &page, Documents::Without).await?;
            for task in some.items {
                let key = task.idempotency_key.clone().unwrap_or_default();
                self.expect(task.ended_at.is_some(), || format!("{key} has not ended"));
                self.attempts += u64::from(task.attempts) + u64::from(task.rate_limit_waits);
                let earlier = tasks.insert(key.clone(), task);
                self.expect(earlier.is_none(), || format!("{key} has two tasks"));
            }
            match some.next {
                Some(next) => page.after = Some(next),
                None => return Ok(tasks),
            }
        }
    }

    /// Whether an order ended as it had to.
    fn order(&mut self, order: u64, chain: &[Execution]) {
        use ExecutionStatus::{Completed, Failed};
        let wanted: &[_] = match fate(order) {
            Fate::Completes => &[Completed],
            Fate::Declined => &[Failed],
            Fate::CompletesLater => &[Failed, Completed],
        };
        let ends: Vec<_> = chain.iter().map(|execution| execution.status).collect();
        self.expect(ends == wanted, || {
            let why = chain.iter().find_map(|execution| execution.message.clone());
            format!("order {order} is {ends:?}, not {wanted:?}: {}", why.unwrap_or_default())
        });
        let same = chain.windows(2).all(|pair| match pair {
            [one, next] => one.trigger == next.trigger && one.next == Some(next.id),
            _ => true,
        });
        self.expect(same, || format!("order {order} was not tried again as it was started"));
        self.followed += chain.len().saturating_sub(1) as u64;
    }

    fn execution(
        &mut self,
        execution: &Execution,
        tasks: &HashMap<String, StoredTask>,
        ledger: &Ledger,
    ) {
        match execution.status {
            ExecutionStatus::Completed => self.completed += 1,
            ExecutionStatus::Failed | ExecutionStatus::Cancelled => self.failed += 1,
            ExecutionStatus::Running => self.lost += 1,
        }
        for node in &execution.nodes {
            let key = format!("{}/{}", execution.id, node.node_id);
            match node.status {
                ExecutionNodeStatus::Completed => self.completed_node(&key, node, ledger),
                ExecutionNodeStatus::Failed => self.nodes_failed += 1,
                ExecutionNodeStatus::Cancelled => self.nodes_cancelled += 1,
                ExecutionNodeStatus::Waiting => continue,
                ExecutionNodeStatus::Submitted => self.lost += 1,
            }
            self.calls(&key, tasks.get(&key), ledger);
        }
    }

    /// What was recorded is the receipt of what was done.
    fn completed_node(&mut self, key: &str, node: &ExecutionNode, ledger: &Ledger) {
        self.nodes_completed += 1;
        let answer = node.result.as_ref().and_then(|answer| answer.get("body")?.as_str());
        let answer = answer.and_then(|body| serde_json::from_str::<Value>(body).ok());
        let recorded = answer.and_then(|answer| answer.get("receipt")?.as_u64());
        let deed = ledger.deeds.get(key);
        let done = deed.filter(|deed| deed.successes > 0).and_then(|deed| deed.receipt);
        self.expect(recorded.is_some() && recorded == done, || {
            format!("{key} recorded receipt {recorded:?}, the order service gave {done:?}")
        });
    }

    /// The shop was not asked more often than the store knows of: what has ended does not run
    /// again.
    fn calls(&mut self, key: &str, task: Option<&StoredTask>, ledger: &Ledger) {
        let calls = ledger.deeds.get(key).map_or(0, |deed| deed.calls);
        // One that is called off while it runs is not counted.
        let known = task.map_or(0, |task| {
            let uncounted = u32::from(task.status == Status::Cancelled);
            task.attempts + task.rate_limit_waits + uncounted
        });
        self.expect(calls <= known, || format!("{key} was called {calls} times in {known} tries"));
    }
}
