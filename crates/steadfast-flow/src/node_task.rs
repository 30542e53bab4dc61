//! The task of a node.

use std::collections::HashMap;

use serde_json::{Map, Value};
use steadfast_store::{ExecutionId, Task};

use crate::reference::{self, Reads};
use crate::workflow::{Node, Workflow};

/// The values that nodes may refer to.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) trigger: Value,
    /// The results of nodes, by number.
    pub(crate) nodes: HashMap<usize, Value>,
}

/// The values that a node needs to start: those that its config refers to, or, without a config, the
/// trigger and the results of its dependencies.
pub(crate) fn reads(node: &Node) -> Reads {
    match node.config() {
        Some(config) => reference::reads(config),
        None => Reads { trigger: true, nodes: node.depends_on().to_vec() },
    }
}

/// The task of a node. Its idempotency key is the same however often it is submitted.
///
/// # Errors
/// The node refers to a missing value, or the task would be too large.
pub(crate) fn node_task(
    workflow: &Workflow,
    number: usize,
    execution: ExecutionId,
    input: &Input,
) -> Result<Task, String> {
    let Some(node) = workflow.nodes().get(number) else {
        return Err("the workflow has no such node".to_owned());
    };
    let values = document(workflow, &reads(node), input);
    let payload = match node.config() {
        Some(config) => reference::resolve(config, &values)?,
        None => values,
    };
    let task = Task::new(node.kind(), &payload)
        .under(node.policy().clone())
        .key(format!("{execution}/{}", node.id()))
        .correlation_id(execution.to_string());
    let task = match workflow.queue_of(node) {
        Some(queue) => task.queue(queue),
        None => task,
    };
    task.check().map_err(|invalid| invalid.to_string())?;
    Ok(task)
}

/// `{"trigger": …, "nodes": {…}}`, with only the values that are needed.
fn document(workflow: &Workflow, reads: &Reads, input: &Input) -> Value {
    let result = |id: &String| {
        let result = input.nodes.get(&workflow.number(id)?).cloned().unwrap_or_default();
        Some((id.clone(), result))
    };
    let nodes: Map<String, Value> = reads.nodes.iter().filter_map(result).collect();
    let mut document = Map::new();
    if reads.trigger {
        document.insert("trigger".to_owned(), input.trigger.clone());
    }
    document.insert("nodes".to_owned(), Value::Object(nodes));
    Value::Object(document)
}
