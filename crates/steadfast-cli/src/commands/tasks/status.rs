//! Status, time and attempts of a task in lists.

use jiff::Timestamp;
use steadfast_api::TaskView;
use steadfast_store::Status;

use crate::output::relative_time;
use crate::output::table::StatusColor;

pub(super) const fn color(status: Status) -> Option<StatusColor> {
    match status {
        Status::Pending => Some(StatusColor::Warning),
        Status::Scheduled => None,
        Status::Running => Some(StatusColor::Active),
        Status::Completed => Some(StatusColor::Success),
        Status::Failed => Some(StatusColor::Error),
        Status::Cancelled => Some(StatusColor::Uncertain),
    }
}

pub(super) fn when(task: &TaskView, now: Timestamp) -> String {
    match task.status {
        Status::Running => "now".to_owned(),
        _ => relative_time::from_now(task.ended_at.unwrap_or(task.scheduled_at), now),
    }
}

/// Attempts used and allowed, as `1/3`. Without a policy the limit is unknown.
pub(super) fn attempts(task: &TaskView, of: &str) -> String {
    match task.policy {
        Some(_) => format!("{}{of}{}", task.attempts, task.max_attempts),
        None => task.attempts.to_string(),
    }
}
