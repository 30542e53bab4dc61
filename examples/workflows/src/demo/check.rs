//! The check: compares the records of the store with the order service's ledger.
//!
//! Nothing may be lost or done twice, and every order must have its expected end.

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

/// The result of the check.
#[derive(Debug, Default)]
pub struct Found {
    /// The chain of executions of each order, by number of the order.
    pub chains: Vec<Vec<Execution>>,
    /// Executions that completed.
    pub completed: u64,
    /// Executions that failed.
    pub failed: u64,
    /// Failed executions that were retried as a new one.
    pub followed: u64,
    /// Executions and nodes that have not ended.
    pub lost: u64,
    /// Nodes that completed.
    pub nodes_completed: u64,
    /// Nodes that failed.
    pub nodes_failed: u64,
    /// Nodes that were cancelled, because another of the execution failed.
    pub nodes_cancelled: u64,
    /// Attempts of all nodes, and waits that the order service requested.
    pub attempts: u64,
    /// Mismatches; empty if all is as expected.
    pub problems: Vec<String>,
}

/// How many executions are read concurrently.
const CONCURRENT_READS: usize = 8;

/// Checks all executions and nodes.
///
/// # Errors
/// The database failed.
pub async fn check(flow: &Flow, left: &Left) -> Result<Found, Problem> {
    let mut found = Found::default();
    let tasks = found.tasks(flow).await?;
    let mut chains =
        stream::iter(&left.started).map(|first| chain(flow, *first)).buffered(CONCURRENT_READS);
    while let Some(chain) = chains.try_next().await? {
        found.order(found.chains.len() as u64, &chain);
        for execution in &chain {
            found.execution(execution, &tasks, &left.ledger);
        }
        found.chains.push(chain);
    }
    let lost = found.lost;
    found.expect(lost == 0, || format!("{lost} executions and nodes have not ended"));
    let nodes = found.nodes_completed + found.nodes_failed + found.nodes_cancelled;
    found.expect(tasks.len() as u64 == nodes, || {
        format!("there are {} tasks for {nodes} nodes", tasks.len())
    });
    Ok(found)
}

/// An execution and its successors, with their nodes.
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

    /// The tasks of all nodes, by key: one per node, and each has ended.
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

    /// Checks the end of an order.
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
        self.expect(same, || format!("order {order} was not retried with the same trigger"));
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

    /// Checks that the recorded receipt is the one that the order service gave.
    fn completed_node(&mut self, key: &str, node: &ExecutionNode, ledger: &Ledger) {
        self.nodes_completed += 1;
        let answer = node.result.as_ref().and_then(|answer| answer.get("body")?.as_str());
        let answer = answer.and_then(|body| serde_json::from_str::<Value>(body).ok());
        let recorded = answer.and_then(|answer| answer.get("receipt")?.as_u64());
        let request = ledger.requests.get(key);
        let done =
            request.filter(|request| request.successes > 0).and_then(|request| request.receipt);
        self.expect(recorded.is_some() && recorded == done, || {
            format!("{key} recorded receipt {recorded:?}, the order service gave {done:?}")
        });
    }

    /// Checks that the order service got no more calls than the store has attempts: a node that has
    /// ended does not run again.
    fn calls(&mut self, key: &str, task: Option<&StoredTask>, ledger: &Ledger) {
        let calls = ledger.requests.get(key).map_or(0, |request| request.calls);
        // An attempt that is cancelled while it runs is not counted.
        let known = task.map_or(0, |task| {
            let uncounted = u32::from(task.status == Status::Cancelled);
            task.attempts + task.rate_limit_waits + uncounted
        });
        self.expect(calls <= known, || {
            format!("{key} was called {calls} times in {known} attempts")
        });
    }
}
