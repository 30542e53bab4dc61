//! Where a task is, at a glance.

use jiff::Timestamp;
use steadfast_api::TaskView;
use steadfast_store::Status;

use crate::output::moment;
use crate::output::table::Tone;

/// What to feel about it.
pub(super) const fn tone(status: Status) -> Option<Tone> {
    match status {
        Status::Pending => Some(Tone::Careful),
        Status::Scheduled => None,
        Status::Running => Some(Tone::Busy),
        Status::Completed => Some(Tone::Good),
        Status::Failed => Some(Tone::Bad),
        Status::Cancelled => Some(Tone::Doubtful),
    }
}

/// When it ended, or when it is due.
pub(super) fn when(task: &TaskView, now: Timestamp) -> String {
    match task.status {
        Status::Running => "now".to_owned(),
        _ => moment::away(task.ended_at.unwrap_or(task.scheduled_at), now),
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
