//! Where an execution and its nodes are, at a glance.

use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::ExecutionStatus;

use crate::output::table::Tone;

/// What to feel about an execution.
pub(super) const fn status(status: ExecutionStatus) -> Tone {
    match status {
        ExecutionStatus::Running => Tone::Busy,
        ExecutionStatus::Completed => Tone::Good,
        ExecutionStatus::Failed => Tone::Bad,
        ExecutionStatus::Cancelled => Tone::Doubtful,
    }
}

/// What to feel about a node.
pub(super) const fn place(place: ExecutionNodeStatus) -> Option<Tone> {
    match place {
        ExecutionNodeStatus::Waiting => None,
        ExecutionNodeStatus::Submitted => Some(Tone::Busy),
        ExecutionNodeStatus::Completed => Some(Tone::Good),
        ExecutionNodeStatus::Failed => Some(Tone::Bad),
        ExecutionNodeStatus::Cancelled => Some(Tone::Doubtful),
    }
}
