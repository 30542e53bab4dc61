//! Workflows and their executions.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::one_of::one_of;
use super::text::Name;

one_of! {
    /// Where an execution is.
    ExecutionStatus: steadfast_store::ExecutionStatus::ALL.map(steadfast_store::ExecutionStatus::name);
    /// Where a node of an execution is.
    NodePlace: steadfast_flow::NodePlace::ALL.map(steadfast_flow::NodePlace::name);
}

/// Steps that wait for each other, as `docs/workflows.md` has them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workflow {
    /// What it is called. Versions of it share the name.
    pub name: Name,
    /// The queue of its nodes' tasks.
    pub queue: Option<Name>,
    /// How a whole execution is tried again.
    #[schema(value_type = Option<Object>)]
    pub retry: Option<Map<String, Value>>,
    /// The steps.
    #[schema(min_items = 1, max_items = 1000)]
    pub nodes: Vec<WorkflowNode>,
}

/// One step of a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowNode {
    /// What it is called in its workflow.
    pub node_id: Name,
    /// Who does it, unless `subType` says so.
    #[serde(rename = "type")]
    pub kind: Name,
    /// Who does it: `http` or `api-call`, `command`, or a handler of that name.
    pub sub_type: Option<Name>,
    /// Its own queue.
    pub queue: Option<Name>,
    /// The nodes that must have completed before.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub depends_on: Vec<Name>,
    /// What it is asked to do. It may refer to the trigger, and to what nodes before it answered.
    #[schema(value_type = Option<Object>)]
    pub config: Option<Map<String, Value>>,
    /// How it is tried again.
    #[schema(value_type = Option<Object>)]
    pub retry: Option<Map<String, Value>>,
}
