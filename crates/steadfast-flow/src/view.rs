//! The view of an execution: with the names of its nodes, including those that wait.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_store::{
    ExecutionId, ExecutionStatus, NodeStatus, StoredExecution, StoredNode, TaskId,
};

use crate::workflow::{Node, Workflow};

/// An execution with its nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Execution {
    /// Its id.
    pub id: ExecutionId,
    /// The name of its workflow.
    pub workflow: String,
    /// The number of its workflow definition in the store.
    pub workflow_number: i64,
    /// Its status.
    pub status: ExecutionStatus,
    /// Its attempt number in the retry chain, from 1.
    pub attempt: u32,
    /// When it was started.
    pub started_at: Timestamp,
    /// When its first nodes are due.
    pub due_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Its idempotency key.
    pub key: Option<String>,
    /// The execution that it retries.
    pub previous: Option<ExecutionId>,
    /// The execution that retries it, which may have been pruned.
    pub next: Option<ExecutionId>,
    /// The node that failed the execution.
    pub failed_node: Option<String>,
    /// Why it ended.
    pub message: Option<String>,
    /// The value it was started with. Not part of a list.
    pub trigger: Value,
    /// All its nodes, in the order of the workflow. Not part of a list.
    pub nodes: Vec<ExecutionNode>,
}

/// One node of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExecutionNode {
    /// Its id in the workflow.
    pub node_id: String,
    /// Its kind: `http`, `command`, or the name of a handler.
    pub kind: String,
    /// The nodes that must complete first.
    pub depends_on: Vec<String>,
    /// Its status.
    pub status: ExecutionNodeStatus,
    /// Its task, which may have been pruned.
    pub task: Option<TaskId>,
    /// When it started.
    pub began_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Its result, unless that is omitted.
    pub result: Option<Value>,
    /// The size of an omitted result in bytes: the results of earlier nodes fill the response. The task
    /// has the result.
    pub left_out: Option<u64>,
    /// Why it ended.
    pub message: Option<String>,
}

/// The status of a node in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// Every status, in the order of a node's life.
    pub const ALL: [Self; 5] =
        [Self::Waiting, Self::Submitted, Self::Completed, Self::Failed, Self::Cancelled];

    /// Its name in JSON and on the web page.
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
        let mut started = std::mem::take(&mut stored.nodes).into_iter().peekable();
        let nodes = workflow.nodes().iter().enumerate();
        let nodes = nodes.map(|(number, node)| {
            node_view(node, started.next_if(|started| usize::from(started.number) == number))
        });
        Self { nodes: nodes.collect(), ..Self::summary(stored) }
    }

    pub(crate) fn summary(stored: StoredExecution) -> Self {
        Self {
            id: stored.id,
            workflow: stored.name,
            workflow_number: stored.workflow,
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
            trigger: stored.trigger,
            nodes: Vec::new(),
        }
    }

    /// The node of this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&ExecutionNode> {
        self.nodes.iter().find(|node| node.node_id == id)
    }
}

fn node_view(node: &Node, started: Option<StoredNode>) -> ExecutionNode {
    let waiting = ExecutionNode {
        node_id: node.id().to_owned(),
        kind: node.kind().to_owned(),
        depends_on: node.depends_on().to_vec(),
        status: ExecutionNodeStatus::Waiting,
        task: None,
        began_at: None,
        ended_at: None,
        result: None,
        left_out: None,
        message: None,
    };
    match started {
        None => waiting,
        Some(started) => ExecutionNode {
            status: started.status.into(),
            task: started.task,
            began_at: Some(started.began_at),
            ended_at: started.ended_at,
            result: started.result,
            left_out: started.left_out,
            message: started.message,
            ..waiting
        },
    }
}
