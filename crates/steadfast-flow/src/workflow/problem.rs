//! What is wrong with a workflow: all of it at once, each with its place.

use std::error::Error;
use std::fmt;

use serde::Serialize;

/// So many problems are told at once. Whoever has mended them is told of the rest.
pub(super) const MOST: usize = 100;

/// One thing that is wrong: reads as
/// `nodes[1].dependsOn[0]: there is no node "craete"; did you mean "create"?`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The way there, such as `nodes[1].dependsOn[0]`; empty for the whole.
    pub path: String,
    /// What is wrong, and what to do about it.
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

/// A workflow that makes no sense, with everything that is wrong with it: a hundred things of it,
/// if there are more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowError(Vec<Problem>);

impl WorkflowError {
    /// What is wrong. There is at least one problem.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }

    /// Nothing, if there are no problems.
    pub(crate) fn of(mut problems: Vec<Problem>) -> Result<(), Self> {
        problems.truncate(MOST);
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
