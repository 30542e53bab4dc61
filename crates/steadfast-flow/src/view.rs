//! The view of an execution: with the names of its nodes, including those that wait.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_store::{
    ExecutionId, ExecutionStatus, NodeStatus, StoredExecution, StoredNode, TaskId,
};

use crate::workflow::{Node, Workflow};

/// An execution. Fields that a list omits are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ExecutionView))]
#[non_exhaustive]
pub struct Execution {
    /// The id of the execution.
    pub id: ExecutionId,
    /// The name of the workflow.
    pub workflow: String,
    /// The id of the workflow definition.
    pub workflow_id: i64,
    /// The status.
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
    pub previous: Option<ExecutionId>,
    /// The retry of this execution. It may have been pruned.
    pub next: Option<ExecutionId>,
    /// The node that failed.
    pub failed_node: Option<String>,
    /// Why it failed or was cancelled.
    pub message: Option<String>,
    /// The input of the execution. A list omits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Value>,
    /// The nodes, in the order of the workflow. A list omits them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<ExecutionNode>,
}

/// A node of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = NodeView))]
#[non_exhaustive]
pub struct ExecutionNode {
    /// The id of the node in its workflow.
    pub node_id: String,
    /// The kind of its task: `http`, `command`, or the name of a handler.
    pub kind: String,
    /// The nodes that must complete first.
    pub depends_on: Vec<String>,
    /// The status.
    pub status: ExecutionNodeStatus,
    /// The task of the node. It may have been pruned.
    pub task: Option<TaskId>,
    /// When the node was started.
    #[serde(alias = "began_at")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The result of the node, unless it is omitted.
    pub result: Option<Value>,
    /// The size of the result in bytes, if it is omitted because the results of other nodes fill the
    /// response. The task has it.
    #[serde(default, alias = "left_out", skip_serializing_if = "Option::is_none")]
    pub omitted_bytes: Option<u64>,
    /// Why it failed or was cancelled.
    pub message: Option<String>,
}

/// The status of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = NodeStatus))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionNodeStatus {
    /// It waits for its dependencies.
    Waiting,
    /// Its task is submitted.
    Submitted,
    /// It succeeded.
    Completed,
    /// It failed, or could not start.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl From<NodeStatus> for ExecutionNodeStatus {
    fn from(status: NodeStatus) -> Self {
        match status {
            NodeStatus::Submitted => Self::Submitted,
            NodeStatus::Completed => Self::Completed,
            NodeStatus::Failed => Self::Failed,
            NodeStatus::Cancelled => Self::Cancelled,
        }
    }
}

impl ExecutionNodeStatus {
    /// Its name in JSON and on the web UI.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Submitted => "submitted",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Execution {
    pub(crate) fn of(mut stored: StoredExecution, workflow: &Workflow) -> Self {
        let trigger = Some(std::mem::take(&mut stored.trigger));
        let mut started = std::mem::take(&mut stored.nodes).into_iter().peekable();
        let nodes = workflow.nodes().iter().enumerate().map(|(number, node)| {
            ExecutionNode::of(node, started.next_if(|it| usize::from(it.number) == number))
        });
        Self { trigger, nodes: nodes.collect(), ..Self::listed(stored) }
    }

    /// The execution as in a list.
    pub(crate) fn listed(stored: StoredExecution) -> Self {
        Self {
            id: stored.id,
            workflow: stored.name,
            workflow_id: stored.workflow,
            status: stored.status,
            attempt: stored.attempt,
            started_at: stored.started_at,
            due_at: stored.due_at,
            ended_at: stored.ended_at,
            key: stored.key,
            previous: stored.previous,
            next: stored.next,
            failed_node: stored.failed_node,
            message: stored.message,
            trigger: None,
            nodes: Vec::new(),
        }
    }

    /// The node of this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&ExecutionNode> {
        self.nodes.iter().find(|node| node.node_id == id)
    }

    /// Masks secrets in the trigger and in the results of the nodes.
    #[must_use]
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        let results = self.nodes.iter_mut().filter_map(|node| node.result.as_mut());
        self.trigger.iter_mut().chain(results).for_each(|value| redactor.value(value));
        self
    }
}

impl ExecutionNode {
    fn of(node: &Node, started: Option<StoredNode>) -> Self {
        let waiting = Self {
            node_id: node.id().to_owned(),
            kind: node.kind().to_owned(),
            depends_on: node.depends_on().to_vec(),
            status: ExecutionNodeStatus::Waiting,
            task: None,
            started_at: None,
            ended_at: None,
            result: None,
            omitted_bytes: None,
            message: None,
        };
        let Some(started) = started else { return waiting };
        Self {
            status: started.status.into(),
            task: started.task,
            started_at: Some(started.started_at),
            ended_at: started.ended_at,
            result: started.result,
            omitted_bytes: started.omitted_bytes,
            message: started.message,
            ..waiting
        }
    }
}
