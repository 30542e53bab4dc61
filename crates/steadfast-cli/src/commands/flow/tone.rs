//! Where an execution and its nodes are, at a glance.

use steadfast_flow::NodePlace;
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
pub(super) const fn place(place: NodePlace) -> Option<Tone> {
    match place {
        NodePlace::Waiting => None,
        NodePlace::Submitted => Some(Tone::Busy),
        NodePlace::Completed => Some(Tone::Good),
        NodePlace::Failed => Some(Tone::Bad),
        NodePlace::Cancelled => Some(Tone::Doubtful),
    }
}
