//! The problems of an invalid workflow, reported all at once, each with its path.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How many problems are reported at once.
pub(super) const MAX_PROBLEMS: usize = 100;

/// A problem of a workflow, displayed as
/// `nodes[1].dependsOn[0]: unknown node "craete"; did you mean "create"?`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = WorkflowProblem))]
#[cfg_attr(feature = "openapi", schema(description = "A problem of a workflow."))]
#[non_exhaustive]
pub struct Problem {
    /// The path of the field, such as `nodes[1].dependsOn[0]`; empty for the whole workflow.
    pub path: String,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Problem {
    pub(crate) fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// An invalid workflow, with its problems, at most a hundred of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowError(Vec<Problem>);

impl WorkflowError {
    /// The problems, at least one.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }

    /// An error if there are problems.
    pub(crate) fn check(mut problems: Vec<Problem>) -> Result<(), Self> {
        problems.truncate(MAX_PROBLEMS);
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }
}

impl From<Problem> for WorkflowError {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for WorkflowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl Error for WorkflowError {}
