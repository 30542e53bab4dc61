//! Colours of execution and node statuses.

use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::ExecutionStatus;

use crate::output::table::StatusColor;

pub(super) const fn of_execution(status: ExecutionStatus) -> StatusColor {
    match status {
        ExecutionStatus::Running => StatusColor::Active,
        ExecutionStatus::Completed => StatusColor::Success,
        ExecutionStatus::Failed => StatusColor::Error,
        ExecutionStatus::Cancelled => StatusColor::Uncertain,
    }
}

pub(super) const fn of_node(status: ExecutionNodeStatus) -> Option<StatusColor> {
    match status {
        ExecutionNodeStatus::Waiting => None,
        ExecutionNodeStatus::Submitted => Some(StatusColor::Active),
        ExecutionNodeStatus::Completed => Some(StatusColor::Success),
        ExecutionNodeStatus::Failed => Some(StatusColor::Error),
        ExecutionNodeStatus::Cancelled => Some(StatusColor::Uncertain),
    }
}
