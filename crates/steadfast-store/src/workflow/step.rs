//! New executions and their steps.

use jiff::Timestamp;
use steadfast::decide::Progress;

use super::{ExecutionId, ExecutionStatus, NodeStatus};
use crate::audit::AuditEntry;
use crate::queue::submit::CheckedTask;
use crate::task::{Task, TaskId, When};

/// An execution to start. `T` is the type of its tasks.
#[derive(Clone, Debug)]
pub struct NewExecution<T = Task> {
    /// The id.
    pub id: ExecutionId,
    /// The number of its workflow, from [`save_workflow`](crate::Store::save_workflow).
    pub workflow: i64,
    /// The trigger, as JSON.
    pub trigger: String,
    /// The idempotency key.
    pub key: Option<String>,
    /// The attempts of the chain so far, under the workflow's policy.
    pub progress: Progress,
    /// The start of the first execution of the chain; `None` if this is the first.
    pub counted_from: Option<Timestamp>,
    /// The due time of its first nodes.
    pub run_at: When,
    /// Its first nodes.
    pub started: Vec<StartedNode<T>>,
    /// The audit entry, if there is an actor. Not written if the execution existed.
    pub audit: Option<AuditEntry>,
}

/// A node to start: its execution, its number and its task.
pub(crate) type NewNode<'n> = (ExecutionId, u16, &'n CheckedTask);

impl NewExecution<CheckedTask> {
    pub(crate) fn first_nodes(&self) -> impl Iterator<Item = NewNode<'_>> {
        self.started.iter().map(|node| (self.id, node.number, &node.task))
    }
}

impl Step<CheckedTask> {
    /// The nodes that it starts, and the first nodes of its follow-up.
    pub(crate) fn new_nodes(&self) -> impl Iterator<Item = NewNode<'_>> {
        let own = self.started.iter().map(|node| (self.execution, node.number, &node.task));
        own.chain(self.follow_up.iter().flat_map(|next| next.first_nodes()))
    }
}

/// A new execution, and the failed one that it follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowUp<'n> {
    pub(crate) new: &'n NewExecution<CheckedTask>,
    pub(crate) previous: Option<ExecutionId>,
}

impl<'n> FollowUp<'n> {
    pub(crate) fn of(step: &'n Step<CheckedTask>) -> Option<Self> {
        let new = step.follow_up.as_deref()?;
        Some(Self { new, previous: Some(step.execution) })
    }
}

/// The result of starting an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Started {
    /// The new execution, or the existing one with the same key.
    pub id: ExecutionId,
    /// Whether the execution existed before.
    pub existed: bool,
}

/// A change of an execution, applied completely or not at all.
#[derive(Clone, Debug)]
pub struct Step<T = Task> {
    /// The execution.
    pub execution: ExecutionId,
    /// The version of the state that it is based on. With another version the step is rejected.
    pub version: i64,
    /// Nodes whose tasks have ended. The result or the last message is copied from the task.
    pub ended: Vec<NodeEnding>,
    /// Nodes whose tasks are submitted.
    pub started: Vec<StartedNode<T>>,
    /// Nodes that could not start.
    pub deferred: Vec<DeferredNode>,
    /// Nodes whose tasks are requeued with reset attempts.
    pub resumed: Vec<Resumed>,
    /// The new state of the execution, if it changes.
    pub ending: Option<Ending>,
    /// The follow-up execution.
    pub follow_up: Option<Box<NewExecution<T>>>,
    /// The audit entry, if there is an actor.
    pub audit: Option<AuditEntry>,
}

impl Step {
    /// An empty step.
    #[must_use]
    pub const fn of(execution: ExecutionId, version: i64) -> Self {
        Self {
            execution,
            version,
            ended: Vec::new(),
            started: Vec::new(),
            deferred: Vec::new(),
            resumed: Vec::new(),
            ending: None,
            follow_up: None,
            audit: None,
        }
    }

    /// Whether it is empty.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.ended.is_empty()
            && self.started.is_empty()
            && self.deferred.is_empty()
            && self.resumed.is_empty()
            && self.ending.is_none()
    }
}

/// The end of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEnding {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Its state.
    pub status: NodeStatus,
    /// A message instead of that of its task.
    pub message: Option<String>,
}

/// A node whose task is submitted.
#[derive(Clone, Debug)]
pub struct StartedNode<T = Task> {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// The task.
    pub task: T,
}

/// A node that could not start, and so has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredNode {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// The reason.
    pub message: String,
}

/// A node whose task is requeued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Its task.
    pub task: TaskId,
}

/// The new state of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The state; running if it was resumed.
    pub status: ExecutionStatus,
    /// The name of the node that failed.
    pub node: Option<String>,
    /// The message.
    pub message: Option<String>,
}

impl Ending {
    /// A state without a node and a message.
    #[must_use]
    pub const fn plain(status: ExecutionStatus) -> Self {
        Self { status, node: None, message: None }
    }
}
