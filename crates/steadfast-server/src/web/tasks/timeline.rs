//! The timeline of a task: past attempts, the current state and remaining attempts.
//!
//! Past attempts show the retry decision and its delay. Remaining attempts show the earliest and the
//! latest time that the jitter allows (D18).

use std::time::Duration;

use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{NextAttempt, TaskView};
use steadfast_store::{FaultRecord, Status};

use super::headline;
use crate::web::{Icon, View, parts};

const MAX_PAST: usize = 30;
const MAX_UPCOMING: usize = 6;

/// The preceding attempt: its number, and the earliest and latest time that it is due.
type Previous = (u32, Timestamp, Timestamp);

pub(super) fn timeline(view: &View, task: &TaskView, blockers: Option<&Markup>) -> Markup {
    let faults = task.faults.as_deref().unwrap_or_default();
    let hidden = faults.len().saturating_sub(MAX_PAST);
    html! {
        ol class="timeline" {
            li class="point" {
                (parts::mark(Icon::PLUS, ""))
                p { strong { "Submitted" } " " (parts::at(view.now, task.submitted_at)) }
            }
            @if hidden > 0 { li class="wait" { (hidden) " earlier failures not shown" } }
            @for fault in faults.iter().skip(hidden) { (failed(view, fault)) }
            (current_state(view, task, blockers))
            (upcoming(view, task))
        }
    }
}

fn failed(view: &View, record: &FaultRecord) -> Markup {
    let fault = serde_json::to_value(&record.fault).unwrap_or(Value::Null);
    html! {
        li class="point" {
            @if headline::is_rate_limit_wait(record) {
                (parts::mark(Icon::SCHEDULED, "scheduled"))
            } @else { (parts::mark(Icon::FAILED, "failed")) }
            p {
                (outcome(record)) " "
                (parts::class(record.class)) " " (parts::at(view.now, record.at))
            }
            p class="message" { (record.message) }
            @if let Some(why) = &record.why { p class="why" { (parts::why(why)) } }
            @for cause in &record.fault.causes {
                @if let Some(message) = &cause.message { p class="why" { "caused by: " (message) } }
            }
            details { summary { "Failure details" } (parts::document("failure", &fault)) }
        }
        @if let Some(delay) = record.next_delay {
            li class="wait" { "delay " (parts::seconds(delay)) }
        }
    }
}

/// The outcome of an attempt. A rate-limit wait is not a failure and does not count.
fn outcome(record: &FaultRecord) -> Markup {
    html! {
        @if headline::is_rate_limit_wait(record) {
            strong { "Rate limited" } " (not counted as an attempt)"
        } @else { strong { "Attempt " (record.attempt) " failed" } }
    }
}

fn current_state(view: &View, task: &TaskView, blockers: Option<&Markup>) -> Markup {
    let finished = || task.ended_at.map(|time| parts::at(view.now, time));
    html! {
        @match task.status {
            Status::Running => {
                li class="point" {
                    (parts::mark(Icon::RUNNING, "running"))
                    p { strong { "Attempt " (task.attempts + 1) " is running" } }
                    @if let Some(lease) = &task.lease { p class="why" { "on " (lease.owner) } }
                }
            }
            Status::Completed => {
                li class="point" { (parts::mark(Icon::COMPLETED, "completed")) p { strong { "Completed" } " " @if let Some(time) = finished() { (time) } } }
            }
            Status::Failed => {
                li class="point" {
                    (parts::mark(Icon::FAILED, "failed"))
                    p { strong { "Failed" } " " @if let Some(reason) = task.reason { (parts::reason(reason)) " " } @if let Some(time) = finished() { (time) } }
                }
            }
            Status::Cancelled => {
                li class="point" { (parts::mark(Icon::CANCELLED, "")) p { strong { "Cancelled" } " " @if let Some(time) = finished() { (time) } } }
            }
            Status::Pending => {
                li class="point" { (parts::mark(Icon::PENDING, "")) p { (headline::waiting(view, task, blockers)) } }
            }
            Status::Scheduled => {}
        }
    }
}

/// The remaining attempts if all fail with a retryable fault.
fn upcoming(view: &View, task: &TaskView) -> Markup {
    let next = task.next.as_deref().unwrap_or_default();
    // The pending attempt is shown as the current state.
    let next = next.get(usize::from(task.status == Status::Pending)..).unwrap_or_default();
    let (shown, rest) = next.split_at(next.len().min(MAX_UPCOMING));
    let and_more = task.and_more.unwrap_or(0);
    let previous = std::iter::once(current(task))
        .chain(shown.iter().map(|it| Some((it.attempt, it.earliest, it.latest))));
    html! {
        @for (attempt, previous) in shown.iter().zip(previous) {
            @let previous = previous.filter(|_| task.status != Status::Scheduled);
            li class="point upcoming" {
                (parts::mark(Icon::SCHEDULED, "scheduled"))
                p { "Attempt " (attempt.attempt) " " (due(view, attempt, previous)) }
            }
        }
        @if let Some(last) = rest.last() {
            li class="wait upcoming" {
                p {
                    (parts::count(rest.len() as u64 + u64::from(and_more))) " more"
                    @if and_more == 0 && task.status == Status::Scheduled {
                        ", the last one " (parts::at(view.now, last.latest)) " at the latest"
                    }
                }
            }
        }
    }
}

/// The pending or running attempt, to which the remaining ones are relative: its end is unknown.
fn current(task: &TaskView) -> Option<Previous> {
    let due = task.scheduled_at;
    matches!(task.status, Status::Pending | Status::Running).then_some((
        task.attempts + 1,
        due,
        due,
    ))
}

/// When an attempt is due: relative to the previous one, or a time if it is known.
fn due(view: &View, attempt: &NextAttempt, previous: Option<Previous>) -> Markup {
    let NextAttempt { earliest, latest, .. } = *attempt;
    let band = between(earliest, latest);
    html! {
        @if let Some((number, first, last)) = previous {
            span class="muted" {
                (parts::duration_range(between(first, earliest), between(last, latest))) " after attempt " (number)
            }
        } @else {
            (parts::at(view.now, earliest.max(view.now)))
            @if band >= Duration::from_secs(1) { span class="muted" { ", up to " (parts::duration(band)) " later with jitter" } }
        }
    }
}

fn between(earliest: Timestamp, latest: Timestamp) -> Duration {
    Duration::try_from(latest.duration_since(earliest)).unwrap_or_default()
}
