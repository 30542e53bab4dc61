//! An execution as it is shown: with the names of its nodes, and those whose turn has not come.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_store::{
    ExecutionId, ExecutionStatus, NodeStatus, StoredExecution, StoredNode, TaskId,
};

use crate::workflow::{Node, Workflow};

/// Everything about one execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Execution {
    /// What it is called.
    pub id: ExecutionId,
    /// The name of its workflow.
    pub workflow: String,
    /// Which version of the workflow, as the store counts texts.
    pub workflow_number: i64,
    /// Where it is.
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
    pub previous: Option<ExecutionId>,
    /// The one that follows it. It may have been pruned.
    pub next: Option<ExecutionId>,
    /// The node that failed it.
    pub failed_node: Option<String>,
    /// Why it ended as it did.
    pub message: Option<String>,
    /// What it was started with. Not part of a list.
    pub trigger: Value,
    /// All of its nodes, as its workflow has them. Not part of a list.
    pub nodes: Vec<ExecutionNode>,
}

/// One node of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExecutionNode {
    /// What it is called in its workflow.
    pub node_id: String,
    /// Who does it.
    pub kind: String,
    /// The nodes that must have completed before.
    pub depends_on: Vec<String>,
    /// Where it is.
    pub status: NodePlace,
    /// Its task. It may have been pruned.
    pub task: Option<TaskId>,
    /// When its turn came.
    pub began_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it answered, unless that is left out.
    pub result: Option<Value>,
    /// How many bytes its answer is, if it is left out: so much was answered before it. Its task
    /// has it.
    pub left_out: Option<u64>,
    /// Why it ended as it did.
    pub message: Option<String>,
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodePlace {
    /// Its turn has not come.
    Waiting,
    /// It is a task, which says more.
    Submitted,
    /// It succeeded.
    Completed,
    /// It was given up, or could not begin.
    Failed,
    /// It was called off.
    Cancelled,
}

impl From<NodeStatus> for NodePlace {
    fn from(status: NodeStatus) -> Self {
        match status {
            NodeStatus::Submitted => Self::Submitted,
            NodeStatus::Completed => Self::Completed,
            NodeStatus::Failed => Self::Failed,
            NodeStatus::Cancelled => Self::Cancelled,
        }
    }
}

impl NodePlace {
    /// Every place, in the order of a node's life.
    pub const ALL: [Self; 5] =
        [Self::Waiting, Self::Submitted, Self::Completed, Self::Failed, Self::Cancelled];

    /// Its name in JSON and on the page.
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
        let mut begun = std::mem::take(&mut stored.nodes).into_iter().peekable();
        let nodes = workflow.nodes().iter().enumerate();
        let nodes = nodes.map(|(number, node)| {
            shown(node, begun.next_if(|begun| usize::from(begun.number) == number))
        });
        Self { nodes: nodes.collect(), ..Self::in_short(stored) }
    }

    pub(crate) fn in_short(stored: StoredExecution) -> Self {
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

fn shown(node: &Node, begun: Option<StoredNode>) -> ExecutionNode {
    let waiting = ExecutionNode {
        node_id: node.id().to_owned(),
        kind: node.kind().to_owned(),
        depends_on: node.depends_on().to_vec(),
        status: NodePlace::Waiting,
        task: None,
        began_at: None,
        ended_at: None,
        result: None,
        left_out: None,
        message: None,
    };
    match begun {
        None => waiting,
        Some(begun) => ExecutionNode {
            status: begun.status.into(),
            task: begun.task,
            began_at: Some(begun.began_at),
            ended_at: begun.ended_at,
            result: begun.result,
            left_out: begun.left_out,
            message: begun.message,
            ..waiting
        },
    }
}
