//! Stored executions and workflow definitions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ExecutionId, ExecutionStatus, NodeStatus};
use crate::error::InputError;
use crate::page::{Cursor, Page, PageRequest};
use crate::task::{TaskId, optional_names};

/// The maximum size of the results of an execution, and of the texts on a page of workflows.
pub const MAX_SHOWN_BYTES: u64 = 8 << 20;

/// The maximum number of executions of a chain before one, and after it.
pub const MAX_CHAIN_LENGTH: i32 = 500;

/// An execution with its nodes by number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredExecution {
    /// The id.
    pub id: ExecutionId,
    /// The number of its workflow.
    pub workflow: i64,
    /// The name of its workflow.
    pub name: String,
    /// The state.
    pub status: ExecutionStatus,
    /// The attempt of the chain, from 1.
    pub attempt: u32,
    /// The time of its start.
    pub started_at: Timestamp,
    /// The due time of its first nodes.
    pub due_at: Timestamp,
    /// The time of its end.
    pub ended_at: Option<Timestamp>,
    /// The idempotency key.
    pub key: Option<String>,
    /// The failed execution that it follows.
    pub previous: Option<ExecutionId>,
    /// Its follow-up, which may have been pruned.
    pub next: Option<ExecutionId>,
    /// The node that failed.
    pub failed_node: Option<String>,
    /// The message.
    pub message: Option<String>,
    /// The trigger. Not in lists.
    pub trigger: Value,
    /// The nodes that have started. Not in lists.
    pub nodes: Vec<StoredNode>,
}

/// A node that has started.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredNode {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Its task, unless it could not start. It may have been pruned.
    pub task: Option<TaskId>,
    /// The state.
    pub status: NodeStatus,
    /// The time of its start.
    pub started_at: Timestamp,
    /// The time of its end.
    pub ended_at: Option<Timestamp>,
    /// Its result. Omitted beyond [`MAX_SHOWN_BYTES`].
    pub result: Option<Value>,
    /// The size of its result in bytes, if it is omitted.
    pub omitted_bytes: Option<u64>,
    /// The message.
    pub message: Option<String>,
}

/// The definition of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkflowDefinition {
    /// Its number. The same text has the same number.
    pub number: i64,
    /// Its name. Several definitions may have the same name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The time at which it was first saved.
    pub saved_at: Timestamp,
}

impl WorkflowDefinition {
    /// A page that ends early once it has [`MAX_SHOWN_BYTES`] of texts.
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

/// A filter of executions. An execution must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionFilter {
    /// The status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ExecutionStatus>,
    /// The name of the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::Name>))]
    pub workflow: Option<String>,
}

impl ExecutionFilter {
    /// Every execution.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Restricts the state.
    #[must_use]
    pub const fn status(mut self, status: ExecutionStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Restricts the workflow.
    #[must_use]
    pub fn workflow(mut self, name: impl Into<String>) -> Self {
        self.workflow = Some(name.into());
        self
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        optional_names([("workflow", &self.workflow)])
    }
}
