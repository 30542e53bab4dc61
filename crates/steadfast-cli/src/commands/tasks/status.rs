//! Status, time and attempts of a task in lists.

use jiff::Timestamp;
use steadfast::Reason;
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

/// Why the task failed, in words. A task that expired has the reason `out_of_time` as well.
pub(super) fn reason(task: &TaskView) -> Option<&'static str> {
    let reason = task.reason?;
    let has_expired = task.expires_at.zip(task.ended_at).is_some_and(|(expiry, end)| expiry <= end);
    Some(if reason == Reason::OutOfTime && has_expired { "expired" } else { reason.label() })
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
