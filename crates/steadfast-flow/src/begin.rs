//! Nodes that begin: what they refer to is read, and they become tasks.
//!
//! Answers and payloads may be a megabyte each, an execution may begin a thousand nodes at once,
//! and a batch is hundreds of executions. So what is read and what is written at once is bounded.
//! What is too much is put off, and has its turn as soon as the rest is written.

use std::collections::HashMap;

use serde_json::Value;
use steadfast_store::{
    DeferredNode, Ending, ExecutionId, ExecutionStatus, Invalid, NodeValue, Result, StartedNode,
    ValuesWanted,
};

use crate::advance::Planned;
use crate::flow::Flow;
use crate::plan::column;
use crate::task::{Input, node_task, reads};

/// How many bytes of what nodes refer to are read at once.
pub(crate) const READ: u64 = 64 << 20;

/// How many bytes of payloads are written at once.
pub(crate) const WRITTEN: usize = 32 << 20;

/// Which of the nodes of an execution begin that should.
enum Turn {
    All,
    /// The others have their turn later.
    Some,
    /// None of them: nothing is written of it.
    None,
}

impl Flow {
    /// Makes tasks of the nodes that begin, of what they refer to. Answers which executions have
    /// to have another turn.
    pub(crate) async fn begin(
        &self,
        planned: &mut Vec<Planned>,
        room: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let mut put_off = Vec::new();
        let mut inputs = self.read(planned, &mut put_off).await?;
        planned.retain_mut(|one| {
            let input = inputs.remove(&one.state.id).unwrap_or_default();
            let turn = begin(one, &input, room);
            if !matches!(turn, Turn::All) {
                put_off.push(one.state.id);
            }
            !matches!(turn, Turn::None)
        });
        Ok(put_off)
    }

    async fn read(
        &self,
        planned: &mut Vec<Planned>,
        put_off: &mut Vec<ExecutionId>,
    ) -> Result<HashMap<ExecutionId, Input>> {
        loop {
            let wanted: Vec<_> = planned.iter().filter_map(wanted).collect();
            if wanted.is_empty() {
                return Ok(HashMap::new());
            }
            match self.store.execution_values(&wanted, READ).await? {
                Some(values) => return Ok(inputs(values)?),
                None => halve(planned, put_off),
            }
        }
    }
}

/// Puts off half of what is too much to be read: of the executions, or of the nodes of the only
/// one. If that is one node, it cannot begin.
fn halve(planned: &mut Vec<Planned>, put_off: &mut Vec<ExecutionId>) {
    let half = planned.len().div_ceil(2);
    let [only] = planned.as_mut_slice() else {
        put_off.extend(planned.drain(half..).map(|one| one.state.id));
        return;
    };
    match *only.plan.begin {
        [node] => {
            only.plan.begin.clear();
            could_not(only, node, format!("what it refers to is more than {READ} bytes of JSON"));
        }
        _ => {
            only.plan.begin.truncate(only.plan.begin.len().div_ceil(2));
            put_off.push(only.state.id);
        }
    }
}

/// What the nodes of an execution that begin refer to.
fn wanted(one: &Planned) -> Option<ValuesWanted> {
    if one.plan.begin.is_empty() {
        return None;
    }
    let mut wanted = ValuesWanted { execution: one.state.id, trigger: false, nodes: Vec::new() };
    for node in one.plan.begin.iter().filter_map(|number| one.workflow.nodes().get(*number)) {
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

pub(crate) fn inputs(values: Vec<NodeValue>) -> Result<HashMap<ExecutionId, Input>, Invalid> {
    let mut inputs: HashMap<ExecutionId, Input> = HashMap::new();
    for NodeValue { execution, node, json } in values {
        let value = match json {
            Some(json) => serde_json::from_str(&json)
                .map_err(|error| Invalid::new("result", format!("cannot be read: {error}")))?,
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

/// Makes tasks of nodes as long as there is room. A node that cannot become one fails, and the
/// execution with it; no other begins then.
fn begin(one: &mut Planned, input: &Input, room: &mut usize) -> Turn {
    for number in std::mem::take(&mut one.plan.begin) {
        let task = match node_task(&one.workflow, number, one.state.id, input) {
            Ok(task) => task,
            Err(message) => {
                could_not(one, number, message);
                return Turn::All;
            }
        };
        let Some(left) = room.checked_sub(task.payload_bytes()) else {
            *room = 0;
            return if one.plan.step.begun.is_empty() { Turn::None } else { Turn::Some };
        };
        *room = left;
        one.plan.step.begun.push(StartedNode { number: column(number), task });
    }
    Turn::All
}

fn could_not(one: &mut Planned, number: usize, message: String) {
    let node = one.workflow.id_of(number);
    let why = format!("node {node} cannot begin: {message}");
    let step = &mut one.plan.step;
    step.begun.clear();
    step.unbegun.push(DeferredNode { number: column(number), message });
    step.ending = Some(Ending {
        status: ExecutionStatus::Failed,
        node: Some(node.to_owned()),
        message: Some(why),
    });
}
