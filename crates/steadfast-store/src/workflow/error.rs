//! Errors of operations on executions.

use thiserror::Error;

use super::{ExecutionId, ExecutionStatus};

/// An error of an operation on an execution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExecutionError {
    /// The execution does not exist.
    #[error("there is no execution {0}; it may have been pruned")]
    NotFound(ExecutionId),
    /// The execution is in the wrong state.
    #[error("execution {id} is {status}: it cannot be {wanted}")]
    WrongStatus {
        /// The execution.
        id: ExecutionId,
        /// Its state.
        status: ExecutionStatus,
        /// The rejected action: `cancelled`, `resumed`, `retried`.
        wanted: &'static str,
    },
    /// The execution already has a follow-up.
    #[error("execution {id} already has a follow-up: it cannot be {wanted}; see its chain")]
    Followed {
        /// The execution.
        id: ExecutionId,
        /// The rejected action.
        wanted: &'static str,
    },
    /// The key belongs to an execution of another workflow, or with another trigger.
    #[error(
        "key `{key}` belongs to execution {existing}, which has another workflow or trigger; \
         use a key of its own for each"
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
    #[error("there is no workflow {0}")]
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
