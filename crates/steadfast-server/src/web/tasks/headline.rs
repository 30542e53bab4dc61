//! One sentence over a task: what happens now, or what happened last, and why.

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use steadfast::Class;
use steadfast::observe::DecidedBy;
use steadfast_api::{NextAttempt, TaskView};
use steadfast_store::{FaultRecord, Status};

use crate::web::parts;
use crate::web::view::View;

/// Clocks are read one after the other.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(2);

/// What happens to it.
pub(super) fn headline(view: &View, task: &TaskView, held: Option<&Markup>) -> Markup {
    let coming = task.next.as_deref().and_then(<[NextAttempt]>::first);
    html! {
        @match (task.status, coming) {
            (Status::Scheduled, Some(next)) => {
                "Attempt " (next.attempt) " of " (task.max_attempts) " in "
                strong { time datetime=(task.scheduled_at) data-countdown { (parts::span(view.now, task.scheduled_at)) } }
                (because(task))
            }
            (Status::Scheduled, None) => { "Due " (parts::at(view.now, task.scheduled_at)) }
            (Status::Pending, _) => (waits(view, task, held)),
            (Status::Running, _) => {
                "Attempt " (task.attempts + 1) " of " (task.max_attempts) " is under way"
                @if let Some(lease) = &task.lease { " at " (lease.owner) ", whose lease ends " (parts::at(view.now, lease.until)) }
            }
            (Status::Completed, _) => {
                "Done " @if let Some(time) = task.ended_at { (parts::at(view.now, time)) }
                @if task.attempts > 1 { ", with attempt " (task.attempts) }
            }
            (Status::Failed, _) => {
                "Given up " @if let Some(time) = task.ended_at { (parts::at(view.now, time)) }
                @if let Some(error) = &task.last_error { ": " (error.message) }
            }
            (Status::Cancelled, _) => {
                "Called off " @if let Some(time) = task.ended_at { (parts::at(view.now, time)) }
            }
        }
        @if let Some(held) = held.filter(|_| task.status == Status::Scheduled) { ". Held back: " (held) }
    }
}

/// Of a task that is due, what it waits for.
pub(super) fn waits(view: &View, task: &TaskView, held: Option<&Markup>) -> Markup {
    let since = parts::ago(view.now, task.scheduled_at);
    html! {
        @match held {
            Some(held) => { "Held back for " (since) ": " (held) }
            None => { "Waits for a worker for " (since) }
        }
    }
}

/// Why it waits, if that is what its last attempt came to, and nothing that came after.
fn because(task: &TaskView) -> Markup {
    let last = task.faults.as_deref().and_then(<[FaultRecord]>::last);
    let Some(last) = last.filter(|last| explains(last, task.scheduled_at)) else {
        return html! {};
    };
    html! {
        @if is_asked_wait(last) { ", because it was asked to wait: " }
        @else { ", because the last one failed: " }
        (last.message)
    }
}

/// Whether a task that failed so is due then, and no later.
fn explains(last: &FaultRecord, due: Timestamp) -> bool {
    let Some(delay) = last.next_delay.and_then(|it| SignedDuration::try_from_secs_f64(it).ok())
    else {
        return false;
    };
    let until = last.at.saturating_add(delay).and_then(|it| it.saturating_add(AT_ONCE));
    until.is_ok_and(|until| due <= until)
}

/// Whether the other side said when to come back, which uses up no attempt (J2).
pub(super) fn is_asked_wait(record: &FaultRecord) -> bool {
    let by_hint = |why: &steadfast::observe::Why| matches!(why.decided_by, DecidedBy::Hint { .. });
    record.class == Class::RateLimited && record.why.as_ref().is_some_and(by_hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// H2: a failure that was to be followed sooner is not why a task waits.
    #[test]
    fn only_what_set_the_time_is_named_for_it() {
        let record = json!({
            "attempt": 1, "at": "2026-07-01T08:00:00Z", "class": "retryable", "message": "busy",
            "fault": {}, "why": null, "next_delay": 30.0,
        });
        let record: FaultRecord = serde_json::from_value(record).unwrap();
        let is_why = |due: &str| explains(&record, due.parse().unwrap());
        assert!(is_why("2026-07-01T08:00:30.001Z"));
        assert!(!is_why("2026-07-01T08:05:00Z"));
        let last = FaultRecord { next_delay: None, ..record.clone() };
        assert!(!explains(&last, record.at));
    }
}
