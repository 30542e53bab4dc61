//! The parser of workflow definitions.
//!
//! Fields have the names that workflow engines use. The kind of a node is its `subType`, or its `type`
//! if it has no `subType`; `api-call` is an alias of `http`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steadfast::__private::nearest;
use steadfast::file::JsonError;
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
steadfast::__private::openapi_schemas! {
    Workflow: <RawWorkflow as utoipa::PartialSchema>::schema(), parts of RawWorkflow;
}

steadfast::__private::read_from_objects!(RawWorkflow, RawNode);

/// Parses and checks a workflow.
///
/// # Errors
/// All problems of the workflow.
pub(super) fn parse(text: &str, handlers: Handlers<'_>) -> Result<Workflow, WorkflowError> {
    if text.len() > MAX_PAYLOAD {
        let message = format!("is {} bytes long; the maximum is {MAX_PAYLOAD}", text.len());
        return Err(Problem::at("", message).into());
    }
    let (raw, mut problems) = read(text)?;
    if raw.nodes.len() > MAX_NODES {
        let message = format!("has {} nodes; the maximum is {MAX_NODES}", raw.nodes.len());
        return Err(Problem::at("nodes", message).into());
    }
    let retry = raw.retry.map(|value| retry::policy("retry", &raw.name, &value));
    let retry = ok_or_report(retry, &mut problems);
    let count = raw.nodes.len();
    let mut nodes = Vec::with_capacity(count);
    for (index, raw_node) in raw.nodes.into_iter().enumerate() {
        let Some(raw_node) = raw_node else { continue };
        problems.extend(kind_problem(index, &raw_node, handlers));
        problems.extend(missing_url(index, &raw_node, handlers));
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
    let is_complete = workflow.nodes.len() == count;
    match check::check(&workflow, is_complete) {
        Ok(dependencies) => workflow.dependencies = dependencies,
        Err(found) => problems.extend(found),
    }
    WorkflowError::check(problems)?;
    Ok(workflow)
}

/// A parsed workflow. A node that could not be parsed is `None`.
struct ReadWorkflow {
    name: String,
    queue: Option<String>,
    retry: Option<Value>,
    nodes: Vec<Option<RawNode>>,
}

/// Reads the workflow. If its JSON is valid but its fields are not, it reads each node separately, so
/// that all problems are reported at once.
fn read(text: &str) -> Result<(ReadWorkflow, Vec<Problem>), Problem> {
    let mut json = serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, RawWorkflow>(&mut json) {
        Ok(RawWorkflow { name, queue, retry, nodes }) => {
            json.end().map_err(|error| json_problem("", &error))?;
            let nodes = nodes.into_iter().map(Some).collect();
            Ok((ReadWorkflow { name, queue, retry, nodes }, Vec::new()))
        }
        Err(error) => {
            let first = parse_problem(error);
            let Ok(Value::Object(object)) = serde_json::from_str(text) else { return Err(first) };
            read_parts(object, first)
        }
    }
}

const WORKFLOW_FIELDS: [&str; 4] = ["name", "queue", "retry", "nodes"];
const NODE_FIELDS: [&str; 7] =
    ["nodeId", "type", "subType", "queue", "dependsOn", "config", "retry"];

fn read_parts(
    mut object: Map<String, Value>,
    first: Problem,
) -> Result<(ReadWorkflow, Vec<Problem>), Problem> {
    let mut problems = Vec::new();
    remove_unknown("", &mut object, &WORKFLOW_FIELDS, &mut problems);
    let Some(Value::Array(nodes)) = object.get_mut("nodes").map(Value::take) else {
        return Err(first);
    };
    object.insert("nodes".to_owned(), Value::Array(Vec::new()));
    let raw: RawWorkflow = match serde_path_to_error::deserialize(Value::Object(object)) {
        Ok(raw) => raw,
        Err(_) => return Err(first),
    };
    let mut read_node = |(index, mut value): (usize, Value)| {
        let path = format!("nodes[{index}]");
        if let Value::Object(fields) = &mut value {
            remove_unknown(&path, fields, &NODE_FIELDS, &mut problems);
        }
        let node: Result<RawNode, _> = serde_path_to_error::deserialize(value);
        let invalid = |error| {
            let Problem { path: field, message } = parse_problem(error);
            let dot = if field.is_empty() || field.starts_with('[') { "" } else { "." };
            problems.push(Problem::at(format!("{path}{dot}{field}"), message));
        };
        node.map_err(invalid).ok()
    };
    let nodes: Vec<_> = nodes.into_iter().take(MAX_NODES).enumerate().map(&mut read_node).collect();
    // A duplicate field is not seen here.
    if problems.is_empty() {
        return Err(first);
    }
    let RawWorkflow { name, queue, retry, .. } = raw;
    Ok((ReadWorkflow { name, queue, retry, nodes }, problems))
}

/// Removes and reports the fields that do not exist.
fn remove_unknown(
    path: &str,
    object: &mut Map<String, Value>,
    known: &[&str],
    problems: &mut Vec<Problem>,
) {
    object.retain(|name, _| {
        let is_known = known.contains(&name.as_str());
        if !is_known {
            let advice = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use {}", known.join(", ")),
            };
            problems.push(Problem::at(path, format!("unknown field `{name}`; {advice}")));
        }
        is_known
    });
}

/// The problem of a built-in request without a URL. The whole config may be a reference.
fn missing_url(index: usize, raw: &RawNode, handlers: Handlers<'_>) -> Option<Problem> {
    let kind = kind::canonical(raw.sub_type.as_ref().unwrap_or(&raw.kind));
    if kind != "http" || !matches!(handlers, Handlers::Unknown) {
        return None;
    }
    let is_set = |name| raw.config.as_ref().is_some_and(|config| config.contains_key(name));
    let is_missing = !is_set("url") && !is_set("$from");
    is_missing.then(|| Problem::at(format!("nodes[{index}].config"), "missing field `url`"))
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
    let path = if matches!(path.as_str(), "." | "?") { String::new() } else { path };
    json_problem(&path, error.inner())
}

/// The problem in plain words. The path names the value, so only invalid JSON needs its position.
fn json_problem(path: &str, error: &serde_json::Error) -> Problem {
    let JsonError { message, position } = JsonError::of(error);
    match position {
        Some((line, column)) if !error.is_data() || path.is_empty() => {
            Problem::at("", format!("{message} at line {line}, column {column}"))
        }
        _ => Problem::at(path, message),
    }
}
