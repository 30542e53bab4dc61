//! The parser of workflow definitions.
//!
//! Fields have the names that workflow engines use. The kind of a node is its `subType`, or its `type`
//! if it has no `subType`; `api-call` is an alias of `http`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steadfast_store::{MAX_PAYLOAD, name};

use super::problem::{Problem, WorkflowError};
use super::{Handlers, MAX_NODES, Node, Workflow, check, kind, retry};

/// The longest id of a node: the key of its task is prefixed with the execution's id.
const MAX_NODE_ID_CHARS: usize = 200;

/// A workflow definition, as described in `docs/workflows.md`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
struct RawWorkflow {
    /// The name of the workflow, which its versions share.
    #[cfg_attr(feature = "openapi", schema(value_type = steadfast_store::openapi::Name))]
    name: String,
    /// The queue of the tasks of its nodes.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<steadfast_store::openapi::Name>))]
    queue: Option<String>,
    /// The retry policy of an execution.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    retry: Option<Value>,
    /// The nodes.
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 1000))]
    nodes: Vec<RawNode>,
}

/// A node of a workflow.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = WorkflowNode))]
#[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
struct RawNode {
    /// The id of the node in its workflow.
    #[cfg_attr(feature = "openapi", schema(value_type = steadfast_store::openapi::Name))]
    node_id: String,
    /// The type of the node; selects the handler unless `subType` does.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = steadfast_store::openapi::Name))]
    kind: String,
    /// The handler: `http` or `api-call`, `command`, or the name of a handler.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<steadfast_store::openapi::Name>))]
    sub_type: Option<String>,
    /// The queue of its task.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<steadfast_store::openapi::Name>))]
    queue: Option<String>,
    /// The nodes that must complete first.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<steadfast_store::openapi::Name>, max_items = 1000))]
    depends_on: Vec<String>,
    /// The input of the handler. It may refer to the trigger and to the results of earlier nodes.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    config: Option<Map<String, Value>>,
    /// The retry policy of the node.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    retry: Option<Value>,
}

#[cfg(feature = "openapi")]
steadfast::openapi_schemas! {
    Workflow: <RawWorkflow as utoipa::PartialSchema>::schema(), parts of RawWorkflow;
}

steadfast::read_from_objects!(RawWorkflow, RawNode);

/// Parses and checks a workflow.
///
/// # Errors
/// All problems of the workflow.
pub(super) fn parse(text: &str, handlers: Handlers<'_>) -> Result<Workflow, WorkflowError> {
    if text.len() > MAX_PAYLOAD {
        let message = format!("is {} bytes long; the maximum is {MAX_PAYLOAD}", text.len());
        return Err(Problem::at("", message).into());
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let raw: RawWorkflow = serde_path_to_error::deserialize(&mut json).map_err(parse_problem)?;
    json.end().map_err(|error| Problem::at("", error.to_string()))?;
    if raw.nodes.len() > MAX_NODES {
        let message = format!("has {} nodes; the maximum is {MAX_NODES}", raw.nodes.len());
        return Err(Problem::at("nodes", message).into());
    }
    let mut problems = Vec::new();
    let retry = raw.retry.map(|value| retry::policy("retry", &raw.name, &value));
    let retry = ok_or_report(retry, &mut problems);
    let count = raw.nodes.len();
    let mut nodes = Vec::with_capacity(count);
    for (index, raw_node) in raw.nodes.into_iter().enumerate() {
        problems.extend(kind_problem(index, &raw_node, handlers));
        nodes.extend(node(index, raw_node, &raw.name, &mut problems));
    }
    let mut workflow = Workflow {
        retry,
        nodes,
        dependencies: Vec::new(),
        queue: raw.queue,
        name: raw.name,
        text: text.to_owned(),
    };
    check_name("name", &workflow.name, &mut problems);
    if let Some(queue) = &workflow.queue {
        check_name("queue", queue, &mut problems);
    }
    // A node that could not be parsed would be reported as a missing dependency.
    if workflow.nodes.len() == count {
        match check::check(&workflow) {
            Ok(dependencies) => workflow.dependencies = dependencies,
            Err(found) => problems.extend(found),
        }
    }
    WorkflowError::check(problems)?;
    Ok(workflow)
}

/// The problem of a node without a handler.
fn kind_problem(index: usize, raw: &RawNode, handlers: Handlers<'_>) -> Option<Problem> {
    let (field, kind) = match &raw.sub_type {
        Some(sub_type) => ("subType", sub_type),
        None => ("type", &raw.kind),
    };
    let problem = kind::problem(field, kind, handlers)?;
    Some(Problem::at(format!("nodes[{index}].{field}"), problem))
}

/// The node, or `None` and a problem if its policy is invalid.
fn node(index: usize, raw: RawNode, workflow: &str, problems: &mut Vec<Problem>) -> Option<Node> {
    let path = |field: &str| format!("nodes[{index}].{field}");
    let kind = kind::canonical(&raw.sub_type.unwrap_or(raw.kind)).to_owned();
    let mut config = raw.config;
    let in_config = config.as_mut().and_then(|config| config.remove("retry"));
    let retry = match (in_config, raw.retry) {
        (Some(_), Some(_)) => {
            let message = "is also set in config; set it once";
            problems.push(Problem::at(path("retry"), message));
            None
        }
        (Some(value), None) => Some((path("config.retry"), value)),
        (None, Some(value)) => Some((path("retry"), value)),
        (None, None) => None,
    };
    let policy_id = format!("{workflow}.{}", raw.node_id);
    let retry = retry.map(|(path, value)| retry::policy(&path, &policy_id, &value));
    let retry = ok_or_report(retry, problems);
    let once = ok_or_report(Some(retry::once(&path("retry"))), problems);
    check_name(&path("nodeId"), &raw.node_id, problems);
    if raw.node_id.chars().count() > MAX_NODE_ID_CHARS {
        let message = format!("is longer than {MAX_NODE_ID_CHARS} characters");
        problems.push(Problem::at(path("nodeId"), message));
    }
    check_name(&path("type"), &kind, problems);
    if let Some(queue) = &raw.queue {
        check_name(&path("queue"), queue, problems);
    }
    let policy = retry.clone().filter(|policy| policy.is_enabled()).or(once)?;
    Some(Node {
        id: raw.node_id,
        kind,
        queue: raw.queue,
        depends_on: raw.depends_on,
        config: config.map(Value::Object),
        retry,
        policy,
    })
}

/// The value of a successful result; adds the problems of a failed one.
fn ok_or_report<T>(
    result: Option<Result<T, Vec<Problem>>>,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    match result? {
        Ok(value) => Some(value),
        Err(found) => {
            problems.extend(found);
            None
        }
    }
}

fn check_name(path: &str, text: &str, problems: &mut Vec<Problem>) {
    if let Err(invalid) = name("", text) {
        problems.push(Problem::at(path, invalid.problem()));
    }
}

fn parse_problem(error: serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let path = error.path().to_string();
    let path = if path == "." { String::new() } else { path };
    Problem::at(path, error.into_inner().to_string())
}
