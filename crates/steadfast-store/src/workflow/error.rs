//! Errors of operations on executions.

use thiserror::Error;

use super::{ExecutionId, ExecutionStatus};

/// An error of an operation on an execution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExecutionError {
    /// The execution does not exist.
    #[error("no execution {0}")]
    NotFound(ExecutionId),
    /// The execution is in the wrong state.
    #[error("cannot {action} execution {id}: it {}", already(*status))]
    WrongStatus {
        /// The execution.
        id: ExecutionId,
        /// Its state.
        status: ExecutionStatus,
        /// The rejected action: `cancel`, `resume`, `retry`.
        action: &'static str,
    },
    /// The execution already has a follow-up.
    #[error("execution {id} was already retried as execution {next}")]
    Followed {
        /// The execution.
        id: ExecutionId,
        /// Its follow-up.
        next: ExecutionId,
    },
    /// The key belongs to an execution of another workflow, or with another trigger.
    #[error(
        "key `{key}` was already used for execution {existing}, with a different workflow or \
         trigger"
    )]
    KeyTaken {
        /// The key.
        key: String,
        /// Its execution.
        existing: ExecutionId,
    },
    /// A task has changed since the step was computed.
    #[error("the execution changed while a step was applied; read it again")]
    Changed,
    /// The workflow does not exist.
    #[error("no workflow {0}")]
    NoWorkflow(i64),
    /// The stored text of a workflow cannot be decoded.
    #[error("cannot decode workflow {workflow}: {problem}")]
    Unreadable {
        /// Its number.
        workflow: i64,
        /// What is wrong with it.
        problem: String,
    },
    /// The stored execution cannot be used.
    #[error("execution {id}: {problem}")]
    Damaged {
        /// The execution.
        id: ExecutionId,
        /// What is wrong.
        problem: String,
    },
}

/// Why an action on an execution in this state is rejected, after "it".
const fn already(status: ExecutionStatus) -> &'static str {
    match status {
        ExecutionStatus::Running => "is still running",
        ExecutionStatus::Completed => "has already completed",
        ExecutionStatus::Failed => "has already failed",
        ExecutionStatus::Cancelled => "is already cancelled",
    }
}
