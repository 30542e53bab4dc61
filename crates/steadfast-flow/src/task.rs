//! A node as the task that does it.

use std::collections::HashMap;

use serde_json::{Map, Value};
use steadfast_store::{ExecutionId, Task};

use crate::reference::{self, Reads};
use crate::workflow::{Node, Workflow};

/// What nodes may refer to.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) trigger: Value,
    /// What nodes answered, by number.
    pub(crate) nodes: HashMap<usize, Value>,
}

/// What must be known for a node to begin: what its config refers to, or, without one, the
/// trigger and what the nodes answered that it waits for.
pub(crate) fn reads(node: &Node) -> Reads {
    match node.config() {
        Some(config) => reference::reads(config),
        None => Reads { trigger: true, nodes: node.depends_on().to_vec() },
    }
}

/// The task of a node. Its key is the same however often it is submitted, so whoever is asked
/// twice can tell.
///
/// # Errors
/// It refers to what is not there, or is more than a task may be.
pub(crate) fn node_task(
    workflow: &Workflow,
    number: usize,
    execution: ExecutionId,
    input: &Input,
) -> Result<Task, String> {
    let Some(node) = workflow.nodes().get(number) else {
        return Err("the workflow has no such node".to_owned());
    };
    let known = document(workflow, &reads(node), input);
    let payload = match node.config() {
        Some(config) => reference::followed(config, &known)?,
        None => known,
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

/// `{"trigger": …, "nodes": {…}}`, with no more in it than is wanted.
fn document(workflow: &Workflow, reads: &Reads, input: &Input) -> Value {
    let answered = |id: &String| {
        let answer = input.nodes.get(&workflow.number(id)?).cloned().unwrap_or_default();
        Some((id.clone(), answer))
    };
    let nodes: Map<String, Value> = reads.nodes.iter().filter_map(answered).collect();
    let mut document = Map::new();
    if reads.trigger {
        document.insert("trigger".to_owned(), input.trigger.clone());
    }
    document.insert("nodes".to_owned(), Value::Object(nodes));
    Value::Object(document)
}
