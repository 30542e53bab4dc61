//! Workflow definitions and their executions.

mod definition;
mod execution;

pub(crate) use definition::invalid_workflow;
pub use definition::{CheckedWorkflow, WorkflowProblem, WorkflowView};
pub use execution::{ExecutionFilter, ExecutionView, NewExecution, NodeView, StartedExecution};
