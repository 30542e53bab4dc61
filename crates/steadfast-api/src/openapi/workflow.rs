//! Workflows and their executions.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::enums::string_enum;
use super::strings::Name;

string_enum! {
    /// The status of an execution.
    ExecutionStatus: steadfast_store::ExecutionStatus::ALL.map(steadfast_store::ExecutionStatus::name);
    /// The status of a node.
    NodeStatus: steadfast_flow::ExecutionNodeStatus::ALL.map(steadfast_flow::ExecutionNodeStatus::name);
}

/// A workflow definition, as described in `docs/workflows.md`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workflow {
    /// The name of the workflow, which its versions share.
    pub name: Name,
    /// The queue of the tasks of its nodes.
    pub queue: Option<Name>,
    /// The retry policy of an execution.
    #[schema(value_type = Option<Object>)]
    pub retry: Option<Map<String, Value>>,
    /// The nodes.
    #[schema(min_items = 1, max_items = 1000)]
    pub nodes: Vec<WorkflowNode>,
}

/// A node of a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowNode {
    /// The id of the node in its workflow.
    pub node_id: Name,
    /// The type of the node; selects the handler unless `subType` does.
    #[serde(rename = "type")]
    pub kind: Name,
    /// The handler: `http` or `api-call`, `command`, or the name of a handler.
    pub sub_type: Option<Name>,
    /// The queue of its task.
    pub queue: Option<Name>,
    /// The nodes that must complete first.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub depends_on: Vec<Name>,
    /// The input of the handler. It may refer to the trigger and to the results of earlier nodes.
    #[schema(value_type = Option<Object>)]
    pub config: Option<Map<String, Value>>,
    /// The retry policy of the node.
    #[schema(value_type = Option<Object>)]
    pub retry: Option<Map<String, Value>>,
}
