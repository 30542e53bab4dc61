//! The start of nodes: reads the values they refer to, and makes tasks of them.
//!
//! Results and payloads may be a megabyte each, an execution may start a thousand nodes at once, and a
//! batch has hundreds of executions. So the bytes read and written at once are bounded. What exceeds
//! the bound is deferred until the rest is written.

use std::collections::HashMap;

use serde_json::Value;
use steadfast_store::{
    DeferredNode, Ending, ExecutionId, ExecutionStatus, InputError, NodeValue, Result, StartedNode,
    ValuesWanted,
};

use crate::advance::PlannedExecution;
use crate::flow::Flow;
use crate::node_task::{Input, node_task, reads};
use crate::plan::column;

/// How many bytes of referenced values are read at once.
pub(crate) const MAX_READ_BYTES: u64 = 64 << 20;

/// How many bytes of payloads are written at once.
pub(crate) const MAX_WRITE_BYTES: usize = 32 << 20;

/// How many of an execution's starting nodes were started.
enum StartedNodes {
    All,
    /// The others are deferred.
    Some,
    /// None: its step is not written.
    None,
}

impl Flow {
    /// Makes tasks of the starting nodes. Returns the executions that have to be planned again.
    pub(crate) async fn start_nodes(
        &self,
        planned: &mut Vec<PlannedExecution>,
        write_budget: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let mut deferred = Vec::new();
        let mut inputs = self.read_inputs(planned, &mut deferred).await?;
        planned.retain_mut(|one| {
            let input = inputs.remove(&one.state.id).unwrap_or_default();
            let started = start_nodes(one, &input, write_budget);
            if !matches!(started, StartedNodes::All) {
                deferred.push(one.state.id);
            }
            !matches!(started, StartedNodes::None)
        });
        Ok(deferred)
    }

    async fn read_inputs(
        &self,
        planned: &mut Vec<PlannedExecution>,
        deferred: &mut Vec<ExecutionId>,
    ) -> Result<HashMap<ExecutionId, Input>> {
        loop {
            let wanted: Vec<_> = planned.iter().filter_map(wanted).collect();
            if wanted.is_empty() {
                return Ok(HashMap::new());
            }
            match self.store.execution_values(&wanted, MAX_READ_BYTES).await? {
                Some(values) => return Ok(inputs(values)?),
                None => halve(planned, deferred),
            }
        }
    }
}

/// Defers half of what is too much to read: of the executions, or of the nodes of the only one. A
/// single node that is too much cannot start.
fn halve(planned: &mut Vec<PlannedExecution>, deferred: &mut Vec<ExecutionId>) {
    let half = planned.len().div_ceil(2);
    let [only] = planned.as_mut_slice() else {
        deferred.extend(planned.drain(half..).map(|one| one.state.id));
        return;
    };
    match *only.plan.starting {
        [node] => {
            only.plan.starting.clear();
            let problem = format!("it refers to more than {MAX_READ_BYTES} bytes of JSON");
            fail_to_start(only, node, problem);
        }
        _ => {
            only.plan.starting.truncate(only.plan.starting.len().div_ceil(2));
            deferred.push(only.state.id);
        }
    }
}

/// The values that an execution's starting nodes refer to.
fn wanted(one: &PlannedExecution) -> Option<ValuesWanted> {
    if one.plan.starting.is_empty() {
        return None;
    }
    let mut wanted = ValuesWanted { execution: one.state.id, trigger: false, nodes: Vec::new() };
    for node in one.plan.starting.iter().filter_map(|number| one.workflow.nodes().get(*number)) {
        let reads = reads(node);
        wanted.trigger |= reads.trigger;
        wanted
            .nodes
            .extend(reads.nodes.iter().filter_map(|id| one.workflow.number(id)).map(column));
    }
    wanted.nodes.sort_unstable();
    wanted.nodes.dedup();
    (wanted.trigger || !wanted.nodes.is_empty()).then_some(wanted)
}

pub(crate) fn inputs(values: Vec<NodeValue>) -> Result<HashMap<ExecutionId, Input>, InputError> {
    let mut inputs: HashMap<ExecutionId, Input> = HashMap::new();
    for NodeValue { execution, node, json } in values {
        let value = match json {
            Some(json) => serde_json::from_str(&json).map_err(|error| {
                InputError::new("result", format!("is not valid JSON: {error}"))
            })?,
            None => Value::Null,
        };
        let input = inputs.entry(execution).or_default();
        match node {
            Some(node) => drop(input.nodes.insert(usize::from(node), value)),
            None => input.trigger = value,
        }
    }
    Ok(inputs)
}

/// Makes tasks of nodes within the write budget. A node that cannot become a task fails, and the
/// execution with it; no other node starts then.
fn start_nodes(
    one: &mut PlannedExecution,
    input: &Input,
    write_budget: &mut usize,
) -> StartedNodes {
    for number in std::mem::take(&mut one.plan.starting) {
        let task = match node_task(&one.workflow, number, one.state.id, input) {
            Ok(task) => task,
            Err(message) => {
                fail_to_start(one, number, message);
                return StartedNodes::All;
            }
        };
        let Some(remaining) = write_budget.checked_sub(task.payload_bytes()) else {
            *write_budget = 0;
            return if one.plan.step.started.is_empty() {
                StartedNodes::None
            } else {
                StartedNodes::Some
            };
        };
        *write_budget = remaining;
        one.plan.step.started.push(StartedNode { number: column(number), task });
    }
    StartedNodes::All
}

/// Fails an execution because this node cannot start.
fn fail_to_start(one: &mut PlannedExecution, number: usize, message: String) {
    let node = one.workflow.id_of(number);
    let reason = format!("node {node} cannot start: {message}");
    let step = &mut one.plan.step;
    step.started.clear();
    step.deferred.push(DeferredNode { number: column(number), message });
    step.ending = Some(Ending {
        status: ExecutionStatus::Failed,
        node: Some(node.to_owned()),
        message: Some(reason),
    });
}
