//! Colours of execution and node statuses.

use steadfast_flow::NodePlace;
use steadfast_store::ExecutionStatus;

use crate::output::table::StatusColor;

/// The colour of an execution status.
pub(super) const fn of_execution(status: ExecutionStatus) -> StatusColor {
    match status {
        ExecutionStatus::Running => StatusColor::Active,
        ExecutionStatus::Completed => StatusColor::Success,
        ExecutionStatus::Failed => StatusColor::Error,
        ExecutionStatus::Cancelled => StatusColor::Uncertain,
    }
}

/// The colour of a node status.
pub(super) const fn of_node(status: NodePlace) -> Option<StatusColor> {
    match status {
        NodePlace::Waiting => None,
        NodePlace::Submitted => Some(StatusColor::Active),
        NodePlace::Completed => Some(StatusColor::Success),
        NodePlace::Failed => Some(StatusColor::Error),
        NodePlace::Cancelled => Some(StatusColor::Uncertain),
    }
}
