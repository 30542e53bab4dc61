//! Executions of workflows, as a store keeps them.
//!
//! An execution is rows: what it was started with, where each of its nodes is, and what each
//! answered. The work of a node is a task like any other. What follows from what has happened is
//! not decided here: whoever knows the workflow reads the [state](ExecutionState) of executions,
//! and hands in [steps](Step). A step holds only if nobody else has made one since, and all that
//! belongs to it is written in one transaction, so a crash leaves an execution before a step or
//! after it.
//!
//! The crate `steadfast-flow` knows workflows.

mod error;
mod id;
mod state;
mod status;
mod step;
mod store;
mod stored;

pub use error::ExecutionError;
pub use id::ExecutionId;
pub use state::{
    ExecutionState, Failure, MissedCompletion, NodeState, NodeValue, OrphanedNodes, Outcome,
    ValuesWanted,
};
pub use status::{ExecutionStatus, NodeStatus};
pub(crate) use step::FollowUp;
pub use step::{
    DeferredNode, Ending, NewExecution, NodeEnding, Resumed, Started, StartedNode, Step,
};
pub use stored::{
    ExecutionFilter, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES, StoredExecution, StoredNode,
    WorkflowDefinition,
};
