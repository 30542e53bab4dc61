//! Workflows and their executions, as they are asked for and answered.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_flow::{Execution, ExecutionFilter as StoreFilter, ExecutionNode, NodePlace};
use steadfast_store::{ExecutionId, ExecutionStatus, TaskId};

/// An execution that is to be started.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct NewExecution {
    /// What it is started with: every node may refer to it.
    pub trigger: Value,
    /// Names it, so that starting it twice is starting it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub key: Option<String>,
}

steadfast::read_from_objects!(NewExecution);

/// Which executions. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionFilter {
    /// Where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::ExecutionStatus>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::ExecutionStatus>))]
    pub status: Option<ExecutionStatus>,
    /// Of workflows of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub workflow: Option<String>,
}

/// Everything about one execution. What a list leaves out is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ExecutionView {
    /// What it is called.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
    pub id: ExecutionId,
    /// The name of its workflow.
    pub workflow: String,
    /// Which version of the workflow.
    pub workflow_id: i64,
    /// Where it is.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::ExecutionStatus))]
    pub status: ExecutionStatus,
    /// Which try of its chain it is, from 1.
    pub attempt: u32,
    /// When it was started.
    pub started_at: Timestamp,
    /// When its first nodes are or were due.
    pub due_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Names it to whoever must not start it twice.
    pub key: Option<String>,
    /// The failed one that it follows.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub previous: Option<ExecutionId>,
    /// The one that follows it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub next: Option<ExecutionId>,
    /// The node that failed it.
    pub failed_node: Option<String>,
    /// Why it ended as it did.
    pub message: Option<String>,
    /// What it was started with. A list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Value>,
    /// Its nodes, as its workflow has them. A list leaves them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeView>>,
}

/// One node of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NodeView {
    /// What it is called in its workflow.
    pub node_id: String,
    /// Who does it.
    pub kind: String,
    /// The nodes that must have completed before.
    pub depends_on: Vec<String>,
    /// Where it is.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::NodePlace))]
    pub status: NodePlace,
    /// Its task. It may have been pruned.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = "uuid"))]
    pub task: Option<TaskId>,
    /// When its turn came.
    pub began_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it answered, unless that is left out.
    pub result: Option<Value>,
    /// How many bytes its answer is, if it is left out: so much was answered before it. Its task
    /// has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
    /// Why it ended as it did.
    pub message: Option<String>,
}

/// What became of a start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct StartedExecution {
    /// Whether it was there already, under its key.
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
    pub(crate) fn for_store(&self) -> StoreFilter {
        let mut filter = StoreFilter::all();
        filter.status = self.status;
        filter.workflow.clone_from(&self.workflow);
        filter
    }
}

impl ExecutionView {
    /// With its nodes.
    pub(crate) fn whole(mut execution: Execution) -> Self {
        let nodes = std::mem::take(&mut execution.nodes).into_iter().map(NodeView::of).collect();
        let trigger = std::mem::take(&mut execution.trigger);
        Self { trigger: Some(trigger), nodes: Some(nodes), ..Self::listed(execution) }
    }

    /// As a list has it.
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

    /// The same, with what looks like a secret taken out of what it was started with and of what
    /// its nodes answered.
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
