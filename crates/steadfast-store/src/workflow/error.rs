//! What cannot be done with an execution.

use thiserror::Error;

use super::{ExecutionId, ExecutionStatus};

/// Why something cannot be done with an execution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExecutionError {
    /// There is none of this id, or not any more.
    #[error("there is no execution {0}; it may have been pruned")]
    NotFound(ExecutionId),
    /// It is where this cannot happen to it.
    #[error("execution {id} is {status}: it cannot be {wanted}")]
    WrongStatus {
        /// Which execution.
        id: ExecutionId,
        /// Where it is.
        status: ExecutionStatus,
        /// What was wanted of it: `cancelled`, `resumed`, `retried`.
        wanted: &'static str,
    },
    /// It has been followed by another already, and its work belongs to that one.
    #[error("execution {id} was followed by another already: it cannot be {wanted}; see its chain")]
    Followed {
        /// Which execution.
        id: ExecutionId,
        /// What was wanted of it.
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
        /// Whose it is.
        existing: ExecutionId,
    },
    /// A task of it is not any more as it was when its step was computed.
    #[error("an execution changed while its step was taken; look at it again")]
    Changed,
    /// There is no workflow of this number.
    #[error("there is no workflow {0}")]
    NoWorkflow(i64),
    /// The kept text of a workflow cannot be read.
    #[error("workflow {workflow} cannot be read: {problem}")]
    Unreadable {
        /// Its number.
        workflow: i64,
        /// What is wrong with it.
        problem: String,
    },
    /// What was kept of it cannot be used.
    #[error("execution {id}: {problem}")]
    Damaged {
        /// Which execution.
        id: ExecutionId,
        /// What is wrong.
        problem: String,
    },
}
