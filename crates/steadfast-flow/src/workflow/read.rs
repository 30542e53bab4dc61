//! The text of a workflow, as its nodes.
//!
//! Names are those that workflow engines use for a node's configuration. A step is named by its `subType`, or by its `type`
//! where it has no other; `api-call` is what is called `http` here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steadfast_store::{MAX_PAYLOAD, name};

use super::problem::{Problem, WorkflowError};
use super::{Handlers, MAX_NODES, Node, Workflow, check, kind, retry};

/// The longest name of a node: the key of its task has the execution's id before it.
const MAX_NODE_ID: usize = 200;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
struct Written {
    name: String,
    queue: Option<String>,
    retry: Option<Value>,
    nodes: Vec<WrittenNode>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
struct WrittenNode {
    node_id: String,
    #[serde(rename = "type")]
    kind: String,
    sub_type: Option<String>,
    queue: Option<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    config: Option<Map<String, Value>>,
    retry: Option<Value>,
}

steadfast::read_from_objects!(Written, WrittenNode);

/// A workflow that can be run.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read(text: &str, handlers: Handlers<'_>) -> Result<Workflow, WorkflowError> {
    if text.len() > MAX_PAYLOAD {
        let long = text.len();
        let message = format!("is {long} bytes long; at most {MAX_PAYLOAD} are taken");
        return Err(Problem::at("", message).into());
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let written: Written = serde_path_to_error::deserialize(&mut reader).map_err(unreadable)?;
    reader.end().map_err(|error| Problem::at("", error.to_string()))?;
    if written.nodes.len() > MAX_NODES {
        let nodes = written.nodes.len();
        let message = format!("has {nodes} nodes; at most {MAX_NODES} are taken");
        return Err(Problem::at("nodes", message).into());
    }
    let mut problems = Vec::new();
    let retry = written.retry.map(|value| retry::policy("retry", &written.name, &value));
    let retry = kept(retry, &mut problems);
    let count = written.nodes.len();
    let mut nodes = Vec::with_capacity(count);
    for (at, one) in written.nodes.into_iter().enumerate() {
        problems.extend(unhandled(at, &one, handlers));
        nodes.extend(node(at, one, &written.name, &mut problems));
    }
    let mut workflow = Workflow {
        retry,
        nodes,
        before: Vec::new(),
        queue: written.queue,
        name: written.name,
        text: text.to_owned(),
    };
    named("name", &workflow.name, &mut problems);
    if let Some(queue) = &workflow.queue {
        named("queue", queue, &mut problems);
    }
    // A node that is left out would look as if it were missing.
    if workflow.nodes.len() == count {
        match check::check(&workflow) {
            Ok(before) => workflow.before = before,
            Err(wrong) => problems.extend(wrong),
        }
    }
    WorkflowError::of(problems)?;
    Ok(workflow)
}

/// A node that nobody does.
fn unhandled(at: usize, written: &WrittenNode, handlers: Handlers<'_>) -> Option<Problem> {
    let (field, kind) = match &written.sub_type {
        Some(sub_type) => ("subType", sub_type),
        None => ("type", &written.kind),
    };
    let problem = kind::problem(field, kind, handlers)?;
    Some(Problem::at(format!("nodes[{at}].{field}"), problem))
}

/// The node, unless its policy cannot be made; then there is a problem.
fn node(
    at: usize,
    written: WrittenNode,
    workflow: &str,
    problems: &mut Vec<Problem>,
) -> Option<Node> {
    let path = |field: &str| format!("nodes[{at}].{field}");
    let kind = kind::here(&written.sub_type.unwrap_or(written.kind)).to_owned();
    let mut config = written.config;
    let own = config.as_mut().and_then(|config| config.remove("retry"));
    let retry = match (own, written.retry) {
        (Some(_), Some(_)) => {
            let message = "is also in its config; write it once";
            problems.push(Problem::at(path("retry"), message));
            None
        }
        (Some(value), None) => Some((path("config.retry"), value)),
        (None, Some(value)) => Some((path("retry"), value)),
        (None, None) => None,
    };
    let policy_id = format!("{workflow}.{}", written.node_id);
    let retry = retry.map(|(path, value)| retry::policy(&path, &policy_id, &value));
    let retry = kept(retry, problems);
    let once = kept(Some(retry::once(&path("retry"))), problems);
    named(&path("nodeId"), &written.node_id, problems);
    if written.node_id.chars().count() > MAX_NODE_ID {
        let message = format!("is longer than {MAX_NODE_ID} characters");
        problems.push(Problem::at(path("nodeId"), message));
    }
    named(&path("type"), &kind, problems);
    if let Some(queue) = &written.queue {
        named(&path("queue"), queue, problems);
    }
    let policy = retry.clone().filter(|policy| policy.is_enabled()).or(once)?;
    Some(Node {
        id: written.node_id,
        kind,
        queue: written.queue,
        depends_on: written.depends_on,
        config: config.map(Value::Object),
        retry,
        policy,
    })
}

/// What could be read; what could not is a problem.
fn kept<T>(read: Option<Result<T, Vec<Problem>>>, problems: &mut Vec<Problem>) -> Option<T> {
    match read? {
        Ok(value) => Some(value),
        Err(wrong) => {
            problems.extend(wrong);
            None
        }
    }
}

fn named(path: &str, text: &str, problems: &mut Vec<Problem>) {
    if let Err(invalid) = name("", text) {
        problems.push(Problem::at(path, invalid.problem()));
    }
}

fn unreadable(error: serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let path = error.path().to_string();
    let path = if path == "." { String::new() } else { path };
    Problem::at(path, error.into_inner().to_string())
}
