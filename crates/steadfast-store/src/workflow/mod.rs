//! Executions of workflows.
//!
//! An execution is stored as its trigger, the states of its nodes, and their results. Each node is a
//! task. This module makes no decisions: the crate `steadfast-flow` reads the
//! [state](ExecutionState) of an execution and applies [steps](Step). A step is applied only if it is
//! current, that is, if no other step was applied since the state was read, and in one transaction,
//! so a crash leaves an execution before or after a step.

mod error;
mod state;
mod status;
mod step;
mod store;
mod stored;

pub use error::ExecutionError;
pub use state::{
    ExecutionState, Failure, MissedCompletion, NodeState, NodeValue, OrphanedNodes, Outcome,
    ValuesWanted,
};
pub use status::{ExecutionStatus, NodeStatus};
pub use step::{
    DeferredNode, Ending, NewExecution, NodeEnding, Resumed, Started, StartedNode, Step,
};
pub(crate) use step::{FollowUp, NewNode};
pub use stored::{
    ExecutionFilter, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES, StoredExecution, StoredNode,
    WorkflowDefinition,
};

use crate::task::id::uuid_id;

uuid_id! {
    /// The id of an execution: a UUID of version 7, so that ids sort by their time of creation.
    #[cfg_attr(feature = "openapi", schema(description = "The id of an execution."))]
    ExecutionId, "not an execution id: expected a UUID; list executions to find one"
}
