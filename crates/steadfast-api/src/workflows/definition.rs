//! Workflow definitions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_flow::{Workflow, WorkflowDefinition, WorkflowError};

use crate::error::{ApiError, ErrorKind};

/// A workflow that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct WorkflowView {
    /// What executions are started by. The same text has the same one.
    pub id: i64,
    /// What it is called. Versions of it share the name.
    pub name: String,
    /// When it was first kept.
    pub kept_at: Timestamp,
    /// As it was written.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub workflow: Value,
}

/// Whether a workflow makes sense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CheckedWorkflow {
    /// Whether it does.
    pub ok: bool,
    /// Everything that is wrong with it.
    pub problems: Vec<WorkflowProblem>,
}

/// One thing that is wrong with a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct WorkflowProblem {
    /// The way there, such as `nodes[1].dependsOn[0]`.
    pub path: String,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl WorkflowView {
    pub(crate) fn of(kept: WorkflowDefinition) -> Self {
        let workflow = serde_json::from_str(&kept.text).unwrap_or_default();
        Self { id: kept.number, name: kept.name, kept_at: kept.kept_at, workflow }
    }

    /// The same, with what looks like a secret taken out of what its nodes are asked.
    #[must_use]
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        redactor.value(&mut self.workflow);
        self
    }
}

impl CheckedWorkflow {
    /// What is wrong with a workflow, if anything is.
    #[must_use]
    pub fn of(checked: &Result<Workflow, WorkflowError>) -> Self {
        let told = |problem: &steadfast_flow::Problem| WorkflowProblem {
            path: problem.path.clone(),
            message: problem.message.clone(),
        };
        let problems = checked.as_ref().err().map(WorkflowError::problems).unwrap_or_default();
        Self { ok: problems.is_empty(), problems: problems.iter().map(told).collect() }
    }
}

/// The first thing that is wrong, and how much else is.
pub(crate) fn senseless(error: &WorkflowError) -> ApiError {
    let [first, more @ ..] = error.problems() else {
        return ApiError::new(ErrorKind::Invalid, error.to_string()).field("workflow");
    };
    let field = if first.path.is_empty() { "workflow" } else { &first.path };
    let error = ApiError::new(ErrorKind::Invalid, first.message.clone()).field(field);
    match more.len() {
        0 => error.next("see docs/workflows.md"),
        more => error.next(format!("check it to see the {more} more")),
    }
}
