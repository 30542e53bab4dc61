//! An execution as the store has it, to be shown.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::{ExecutionId, ExecutionStatus, NodeStatus};
use crate::error::InputError;
use crate::page::{Cursor, Page, PageRequest};
use crate::task::{TaskId, name};

/// How many bytes of answers are shown with an execution, and of texts on a page of workflows.
pub const MAX_SHOWN_BYTES: u64 = 8 << 20;

/// How many executions of a chain are shown before one, and how many after it.
pub const MAX_CHAIN_LENGTH: i32 = 500;

/// Everything about one execution, its nodes by number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredExecution {
    /// What it is called.
    pub id: ExecutionId,
    /// The number of its workflow.
    pub workflow: i64,
    /// The name of its workflow.
    pub name: String,
    /// Where it is.
    pub status: ExecutionStatus,
    /// Which try of the chain it is, from 1.
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
    /// Its nodes whose turn has come. Not part of a list.
    pub nodes: Vec<StoredNode>,
}

/// One node whose turn has come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredNode {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Its task, unless it could not become one. It may have been pruned.
    pub task: Option<TaskId>,
    /// Where it is.
    pub status: NodeStatus,
    /// When its turn came.
    pub began_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it answered. Left out once [so much](MAX_SHOWN_BYTES) was answered before it.
    pub result: Option<Value>,
    /// How many bytes its answer is, if it is left out.
    pub left_out: Option<u64>,
    /// Why it ended as it did.
    pub message: Option<String>,
}

/// A workflow as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkflowDefinition {
    /// Its number. The same text has the same one.
    pub number: i64,
    /// What it is called. Several versions may have one name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// When it was first kept.
    pub kept_at: Timestamp,
}

impl WorkflowDefinition {
    /// A page that ends early once it has [so many bytes](MAX_SHOWN_BYTES) of texts, of which no more
    /// were read.
    pub(crate) fn page(definitions: Vec<Self>, page: &PageRequest) -> Page<Self> {
        let bytes: u64 = definitions.iter().map(|one| one.text.len() as u64).sum();
        let mut page = page.of(definitions, |one| Some(one.number));
        if let (true, None, Some(last)) = (bytes >= MAX_SHOWN_BYTES, &page.next, page.items.last())
        {
            page.next = Some(Cursor(last.number.to_string()));
        }
        page
    }
}

/// Which executions. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecutionFilter {
    /// Where they are.
    pub status: Option<ExecutionStatus>,
    /// Of workflows of this name.
    pub workflow: Option<String>,
}

impl ExecutionFilter {
    /// Every execution.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// And that are here.
    #[must_use]
    pub const fn status(mut self, status: ExecutionStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// And of workflows of this name.
    #[must_use]
    pub fn workflow(mut self, name: impl Into<String>) -> Self {
        self.workflow = Some(name.into());
        self
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        self.workflow.as_deref().map_or(Ok(()), |workflow| name("workflow", workflow))
    }
}
