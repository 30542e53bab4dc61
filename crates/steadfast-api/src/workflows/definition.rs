//! Workflow definitions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_flow::{Workflow, WorkflowDefinition, WorkflowError};

use crate::error::{ApiError, ErrorKind};

/// A saved workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct WorkflowView {
    /// The id of this version. Saving the same definition again returns the same id.
    pub id: i64,
    /// The name of the workflow, which its versions share.
    pub name: String,
    /// When this version was first saved.
    pub kept_at: Timestamp,
    /// The definition.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub workflow: Value,
}

/// The result of validating a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CheckedWorkflow {
    /// Whether the workflow is valid.
    pub ok: bool,
    /// All problems.
    pub problems: Vec<WorkflowProblem>,
}

/// A problem of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct WorkflowProblem {
    /// The path of the field, such as `nodes[1].dependsOn[0]`.
    pub path: String,
    /// What is wrong, and what to do.
    pub message: String,
}

impl WorkflowView {
    pub(crate) fn of(definition: WorkflowDefinition) -> Self {
        let workflow = serde_json::from_str(&definition.text).unwrap_or_default();
        let WorkflowDefinition { number, name, kept_at, .. } = definition;
        Self { id: number, name, kept_at, workflow }
    }

    /// Masks secrets in the configuration of the nodes.
    #[must_use]
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        redactor.value(&mut self.workflow);
        self
    }
}

impl CheckedWorkflow {
    /// The result of parsing a workflow.
    #[must_use]
    pub fn of(checked: &Result<Workflow, WorkflowError>) -> Self {
        let problem = |problem: &steadfast_flow::Problem| WorkflowProblem {
            path: problem.path.clone(),
            message: problem.message.clone(),
        };
        let problems = checked.as_ref().err().map(WorkflowError::problems).unwrap_or_default();
        Self { ok: problems.is_empty(), problems: problems.iter().map(problem).collect() }
    }
}

/// The first problem, and the number of others.
pub(crate) fn invalid_workflow(error: &WorkflowError) -> ApiError {
    let [first, more @ ..] = error.problems() else {
        return ApiError::new(ErrorKind::Invalid, error.to_string()).field("workflow");
    };
    let field = if first.path.is_empty() { "workflow" } else { &first.path };
    let error = ApiError::new(ErrorKind::Invalid, first.message.clone()).field(field);
    match more.len() {
        0 => error.next("see docs/workflows.md"),
        more => error.next(format!("validate the workflow to see {more} more problems")),
    }
}
