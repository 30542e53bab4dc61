//! One sentence on the state of a task: what happens next, or how it finished, and why.

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use steadfast::Class;
use steadfast::observe::DecidedBy;
use steadfast_api::{NextAttempt, TaskView};
use steadfast_store::{FaultRecord, Status, retries_only_lost_workers};

use crate::web::{View, parts};

/// Tolerance between two readings of the clock.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

pub(super) fn headline(view: &View, task: &TaskView, blockers: Option<&Markup>) -> Markup {
    let next = task.next.as_deref().and_then(<[NextAttempt]>::first);
    html! {
        @match (task.status, next) {
            (Status::Scheduled, Some(next)) => {
                "Attempt " (next.attempt) (of_max(task)) " in "
                strong { time datetime=(task.scheduled_at) data-countdown { (parts::span(view.now, task.scheduled_at)) } }
                (cause(task))
            }
            (Status::Scheduled, None) => { "Due " (parts::at(view.now, task.scheduled_at)) }
            (Status::Pending, _) => (waiting(view, task, blockers)),
            (Status::Running, _) => {
                "Attempt " (task.attempts + 1) (of_max(task)) " is running"
                @if let Some(lease) = &task.lease { " on " (lease.owner) ", lease expires " (parts::at(view.now, lease.until)) }
            }
            (Status::Completed, _) => {
                "Completed " @if let Some(time) = task.ended_at { (parts::at(view.now, time)) }
                @if task.attempts > 1 { ", on attempt " (task.attempts) }
            }
            (Status::Failed, _) => {
                "Failed " @if let Some(time) = task.ended_at { (parts::at(view.now, time)) }
                @if let Some(error) = &task.last_error { ": " (parts::error(&error.message)) }
            }
            (Status::Cancelled, _) => {
                "Cancelled " @if let Some(time) = task.ended_at { (parts::at(view.now, time)) }
            }
        }
        @if let Some(blockers) = blockers.filter(|_| task.status == Status::Scheduled) { ". Blocked: " (blockers) }
    }
}

/// The maximum number of attempts, unless only lost workers use more than one.
pub(super) fn of_max(task: &TaskView) -> String {
    match task.policy.as_deref() {
        Some(policy) if !retries_only_lost_workers(policy) => format!(" of {}", task.max_attempts),
        _ => String::new(),
    }
}

/// What a pending task is waiting for.
pub(super) fn waiting(view: &View, task: &TaskView, blockers: Option<&Markup>) -> Markup {
    let since = parts::ago(view.now, task.scheduled_at);
    html! {
        @match blockers {
            Some(blockers) => { "Blocked for " (since) ": " (blockers) }
            None => { "Waiting for a worker for " (since) }
        }
    }
}

/// The fault that set the scheduled time, if no later action did.
fn cause(task: &TaskView) -> Markup {
    let last = task.faults.as_deref().and_then(<[FaultRecord]>::last);
    let Some(last) = last.filter(|last| explains(last, task.scheduled_at)) else {
        return html! {};
    };
    html! {
        @if is_rate_limit_wait(last) { ". Rate limited: " }
        @else { ". Last attempt failed: " }
        (parts::error(&last.message))
    }
}

fn explains(last: &FaultRecord, due: Timestamp) -> bool {
    let Some(delay) = last.next_delay.and_then(|it| SignedDuration::try_from_secs_f64(it).ok())
    else {
        return false;
    };
    let until = last.at.saturating_add(delay).and_then(|it| it.saturating_add(CLOCK_TOLERANCE));
    until.is_ok_and(|until| due <= until)
}

/// Whether the service set the delay, which does not count as an attempt (J2).
pub(super) fn is_rate_limit_wait(record: &FaultRecord) -> bool {
    let by_hint = |why: &steadfast::observe::Why| matches!(why.decided_by, DecidedBy::Hint { .. });
    record.class == Class::RateLimited && record.why.as_ref().is_some_and(by_hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// H2: a fault with an earlier retry time does not explain the wait.
    #[test]
    fn only_the_fault_that_set_the_time_explains_it() {
        let record = json!({
            "attempt": 1, "at": "2026-07-01T08:00:00Z", "class": "retryable", "message": "busy",
            "fault": {}, "why": null, "next_delay": 30.0,
        });
        let record: FaultRecord = serde_json::from_value(record).unwrap();
        let explained = |due: &str| explains(&record, due.parse().unwrap());
        assert!(explained("2026-07-01T08:00:30.001Z"));
        assert!(!explained("2026-07-01T08:05:00Z"));
        let last = FaultRecord { next_delay: None, ..record.clone() };
        assert!(!explains(&last, record.at));
    }
}
