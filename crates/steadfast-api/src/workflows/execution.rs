//! Executions of workflows.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_flow::{
    Execution, ExecutionFilter as StoreFilter, ExecutionNode, ExecutionNodeStatus,
};
use steadfast_store::{ExecutionId, ExecutionStatus, TaskId};

/// An execution to start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct NewExecution {
    /// The input of the execution; every node may refer to it.
    pub trigger: Value,
    /// A key that identifies the execution: a second start with the same key starts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub key: Option<String>,
}

steadfast::read_from_objects!(NewExecution);

/// A filter of executions. An execution must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionFilter {
    /// The status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::ExecutionStatus>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::ExecutionStatus>))]
    pub status: Option<ExecutionStatus>,
    /// The name of the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub workflow: Option<String>,
}

/// An execution. Fields that a list leaves out are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ExecutionView {
    /// The id of the execution.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
    pub id: ExecutionId,
    /// The name of the workflow.
    pub workflow: String,
    /// The version of the workflow.
    pub workflow_id: i64,
    /// The status.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::ExecutionStatus))]
    pub status: ExecutionStatus,
    /// The number of the attempt in its chain of retries, from 1.
    pub attempt: u32,
    /// When the execution was started.
    pub started_at: Timestamp,
    /// When the first nodes are or were due.
    pub due_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The key that identifies the execution.
    pub key: Option<String>,
    /// The execution that this one retries.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub previous: Option<ExecutionId>,
    /// The retry of this execution.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub next: Option<ExecutionId>,
    /// The node that failed.
    pub failed_node: Option<String>,
    /// Why it failed or was cancelled.
    pub message: Option<String>,
    /// The input of the execution. A list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Value>,
    /// The nodes, in the order of the workflow. A list leaves them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeView>>,
}

/// A node of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NodeView {
    /// The id of the node in its workflow.
    pub node_id: String,
    /// The kind of its task.
    pub kind: String,
    /// The nodes that must complete first.
    pub depends_on: Vec<String>,
    /// The status.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::NodeStatus))]
    pub status: ExecutionNodeStatus,
    /// The task of the node. It may have been pruned.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub task: Option<TaskId>,
    /// When the node was started.
    pub began_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The result of the node, unless it is left out.
    pub result: Option<Value>,
    /// The size of the result in bytes, if it is left out because the results of other nodes fill the
    /// response. The task has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
    /// Why it failed or was cancelled.
    pub message: Option<String>,
}

/// The result of starting an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct StartedExecution {
    /// Whether an execution with the same key already existed.
    pub existed: bool,
    /// The execution.
    #[serde(flatten)]
    pub execution: ExecutionView,
}

impl StartedExecution {
    pub(crate) const fn new(existed: bool, execution: ExecutionView) -> Self {
        Self { existed, execution }
    }
}

impl ExecutionFilter {
    pub(crate) fn to_store_filter(&self) -> StoreFilter {
        let mut filter = StoreFilter::all();
        filter.status = self.status;
        filter.workflow.clone_from(&self.workflow);
        filter
    }
}

impl ExecutionView {
    /// The execution with its trigger and nodes.
    pub(crate) fn whole(mut execution: Execution) -> Self {
        let nodes = std::mem::take(&mut execution.nodes).into_iter().map(NodeView::of).collect();
        let trigger = std::mem::take(&mut execution.trigger);
        Self { trigger: Some(trigger), nodes: Some(nodes), ..Self::listed(execution) }
    }

    /// The execution as in a list.
    pub(crate) fn listed(execution: Execution) -> Self {
        Self {
            id: execution.id,
            workflow: execution.workflow,
            workflow_id: execution.workflow_number,
            status: execution.status,
            attempt: execution.attempt,
            started_at: execution.started_at,
            due_at: execution.due_at,
            ended_at: execution.ended_at,
            key: execution.key,
            previous: execution.previous,
            next: execution.next,
            failed_node: execution.failed_node,
            message: execution.message,
            trigger: None,
            nodes: None,
        }
    }

    /// Masks secrets in the trigger and in the results of the nodes.
    #[must_use]
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        let results = self.nodes.iter_mut().flatten().filter_map(|node| node.result.as_mut());
        for value in self.trigger.iter_mut().chain(results) {
            redactor.value(value);
        }
        self
    }
}

impl NodeView {
    fn of(node: ExecutionNode) -> Self {
        Self {
            node_id: node.node_id,
            kind: node.kind,
            depends_on: node.depends_on,
            status: node.status,
            task: node.task,
            began_at: node.began_at,
            ended_at: node.ended_at,
            result: node.result,
            left_out: node.left_out,
            message: node.message,
        }
    }
}
