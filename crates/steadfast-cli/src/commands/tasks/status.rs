//! Where a task is, at a glance.

use jiff::Timestamp;
use steadfast_api::TaskView;
use steadfast_store::Status;

use crate::output::relative_time;
use crate::output::table::StatusColor;

/// What to feel about it.
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

/// When it ended, or when it is due.
pub(super) fn when(task: &TaskView, now: Timestamp) -> String {
    match task.status {
        Status::Running => "now".to_owned(),
        _ => relative_time::from_now(task.ended_at.unwrap_or(task.scheduled_at), now),
    }
}

/// How many attempts were used up, of how many.
pub(super) fn tries(task: &TaskView) -> String {
    attempts(task, "/")
}

/// The same with a word between them. How many there may be is for its policy to say.
pub(super) fn attempts(task: &TaskView, of: &str) -> String {
    match task.policy {
        Some(_) => format!("{}{of}{}", task.attempts, task.max_attempts),
        None => task.attempts.to_string(),
    }
}
