//! Workflow definitions, and starts of their executions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_flow::{Execution, Problem, Workflow, WorkflowDefinition, WorkflowError};

use crate::error::{ApiError, ErrorKind};

steadfast::__private::read_from_objects!(NewExecution);

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
    #[serde(alias = "kept_at")]
    pub saved_at: Timestamp,
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
    pub problems: Vec<Problem>,
}

/// An execution to start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct NewExecution {
    /// The input of the execution; every node may refer to it.
    pub trigger: Value,
    /// A key that identifies the execution: a second start with the same key starts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub key: Option<String>,
}

/// The result of starting an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct StartedExecution {
    /// Whether an execution with the same key already existed.
    pub existed: bool,
    /// The execution.
    #[serde(flatten)]
    pub execution: Execution,
}

impl WorkflowView {
    pub(crate) fn of(definition: WorkflowDefinition) -> Self {
        let workflow = serde_json::from_str(&definition.text).unwrap_or_default();
        let WorkflowDefinition { number, name, saved_at, .. } = definition;
        Self { id: number, name, saved_at, workflow }
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
        let problems = checked.as_ref().err().map(WorkflowError::problems).unwrap_or_default();
        Self { ok: problems.is_empty(), problems: problems.to_vec() }
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
