//! What is written of executions: that one starts, and each step that it takes.

use jiff::Timestamp;
use steadfast::decide::Progress;

use super::{ExecutionId, ExecutionStatus, NodeStatus};
use crate::audit::AuditEntry;
use crate::queue::submit::CheckedTask;
use crate::task::{Task, TaskId, When};

/// An execution that is to be.
///
/// What its nodes do is in `T`: a task as it was written, until the store has checked it.
#[derive(Clone, Debug)]
pub struct NewExecution<T = Task> {
    /// What it will be called.
    pub id: ExecutionId,
    /// The number of its workflow, from [`keep_workflow`](crate::Store::keep_workflow).
    pub workflow: i64,
    /// What it is started with, as JSON.
    pub trigger: String,
    /// Names it to whoever must not start it twice.
    pub key: Option<String>,
    /// How far the chain of executions has come, as the workflow's own policy counts.
    pub progress: Progress,
    /// When the first of the chain was started; now, if this is it.
    pub counted_from: Option<Timestamp>,
    /// When its first nodes are due.
    pub run_at: When,
    /// Its first nodes.
    pub started: Vec<StartedNode<T>>,
    /// Who starts it, if somebody does. Not written if it was there already.
    pub audit: Option<AuditEntry>,
}

/// A new execution, and the one that failed if it follows that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowUp<'n> {
    pub(crate) new: &'n NewExecution<CheckedTask>,
    pub(crate) previous: Option<ExecutionId>,
}

impl<'n> FollowUp<'n> {
    /// The one that follows this step, if one does.
    pub(crate) fn of(step: &'n Step<CheckedTask>) -> Option<Self> {
        let new = step.follow_up.as_deref()?;
        Some(Self { new, previous: Some(step.execution) })
    }
}

/// What became of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Started {
    /// The execution: the new one, or the one that had the key already.
    pub id: ExecutionId,
    /// Whether it was there already.
    pub existed: bool,
}

/// What happens to an execution at once, or not at all.
#[derive(Clone, Debug)]
pub struct Step<T = Task> {
    /// Which execution.
    pub execution: ExecutionId,
    /// The version that it was read in. If it has another by now, the step does not hold.
    pub version: i64,
    /// Nodes whose tasks have ended. What a task answered, or the words of its last failure, is
    /// taken from it.
    pub ended: Vec<NodeEnding>,
    /// Nodes that become tasks.
    pub started: Vec<StartedNode<T>>,
    /// Nodes that could not become tasks.
    pub deferred: Vec<DeferredNode>,
    /// Nodes whose tasks are tried again, counted anew.
    pub resumed: Vec<Resumed>,
    /// What becomes of the execution, if it does not stay as it is.
    pub ending: Option<Ending>,
    /// The execution that follows it, from here on for good.
    pub follow_up: Option<Box<NewExecution<T>>>,
    /// Who did it, if somebody did.
    pub audit: Option<AuditEntry>,
}

impl Step {
    /// Nothing, for what happens to be added.
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

    /// Whether nothing happens.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.ended.is_empty()
            && self.started.is_empty()
            && self.deferred.is_empty()
            && self.resumed.is_empty()
            && self.ending.is_none()
    }
}

/// How a node ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeEnding {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// As what it ended.
    pub status: NodeStatus,
    /// Words that say more than those of its task.
    pub message: Option<String>,
}

/// A node that becomes a task.
#[derive(Clone, Debug)]
pub struct StartedNode<T = Task> {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// What is to be done.
    pub task: T,
}

/// A node that could not become a task: it has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredNode {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Why not.
    pub message: String,
}

/// A node that is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Its task.
    pub task: TaskId,
}

/// What becomes of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Where it is then. Running, if it was resumed.
    pub status: ExecutionStatus,
    /// The node that failed it, by the name that its workflow has for it.
    pub node: Option<String>,
    /// Why it ended as it did.
    pub message: Option<String>,
}

impl Ending {
    /// It is there, and there is no more to say.
    #[must_use]
    pub const fn plain(status: ExecutionStatus) -> Self {
        Self { status, node: None, message: None }
    }
}
