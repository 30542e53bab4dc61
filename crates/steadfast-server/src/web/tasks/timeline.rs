//! What happened to a task and what is to come, from top to bottom.
//!
//! What was tried, why it was decided so, how long was waited, and then, in lighter marks, the
//! attempts that are left: between the earliest and the latest moment that the policy's jitter
//! allows (D18).

use std::time::Duration;

use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{NextAttempt, TaskView};
use steadfast_store::{FaultRecord, Status};

use super::headline;
use crate::web::icon::{Icon, icon};
use crate::web::parts;
use crate::web::view::View;

/// So many of the last attempts are shown in full; a task may have thousands.
const SHOWN: usize = 30;
/// So many of those to come.
const TO_COME: usize = 6;

/// An attempt that another one follows: its number, and the earliest and latest that it is due.
type Before = (u32, Timestamp, Timestamp);

/// The whole life of a task.
pub(super) fn timeline(view: &View, task: &TaskView, held: Option<&Markup>) -> Markup {
    let faults = task.faults.as_deref().unwrap_or_default();
    let hidden = faults.len().saturating_sub(SHOWN);
    html! {
        ol class="timeline" {
            li class="point" {
                (mark(Icon::Plus, ""))
                p { strong { "Submitted" } " " (parts::at(view.now, task.submitted_at)) }
            }
            @if hidden > 0 { li class="wait" { (hidden) " earlier failures are not shown" } }
            @for fault in faults.iter().skip(hidden) { (failed(view, fault)) }
            (now(view, task, held))
            (to_come(view, task))
        }
    }
}

fn mark(shape: Icon, looks: &str) -> Markup {
    html! { span class={ "mark " (looks) } { (icon(shape)) } }
}

fn failed(view: &View, record: &FaultRecord) -> Markup {
    let fault = serde_json::to_value(&record.fault).unwrap_or(Value::Null);
    html! {
        li class="point" {
            @if headline::is_asked_wait(record) {
                (mark(Icon::Scheduled, "scheduled"))
            } @else { (mark(Icon::Failed, "failed")) }
            p {
                (came_to(record)) " "
                (parts::class(record.class)) " " (parts::at(view.now, record.at))
            }
            p class="message" { (record.message) }
            @if let Some(why) = &record.why { p class="why" { (parts::why(why)) } }
            @for cause in &record.fault.causes {
                @if let Some(message) = &cause.message { p class="why" { "caused by: " (message) } }
            }
            details { summary { "The facts" } (parts::document("the fault", &fault)) }
        }
        @if let Some(delay) = record.next_delay {
            li class="wait" { "waits " (parts::seconds(delay)) }
        }
    }
}

/// What an attempt came to. Who is asked to wait has not failed, and used nothing up.
fn came_to(record: &FaultRecord) -> Markup {
    html! {
        @if headline::is_asked_wait(record) {
            strong { "Asked to wait" } " (uses up no attempt)"
        } @else { strong { "Attempt " (record.attempt) " failed" } }
    }
}

/// Where it is now.
fn now(view: &View, task: &TaskView, held: Option<&Markup>) -> Markup {
    let ended = || task.ended_at.map(|time| parts::at(view.now, time));
    html! {
        @match task.status {
            Status::Running => {
                li class="point" {
                    (mark(Icon::Running, "running"))
                    p { strong { "Attempt " (task.attempts + 1) " is under way" } }
                    @if let Some(lease) = &task.lease { p class="why" { "at " (lease.owner) } }
                }
            }
            Status::Completed => {
                li class="point" { (mark(Icon::Completed, "completed")) p { strong { "Done" } " " @if let Some(time) = ended() { (time) } } }
            }
            Status::Failed => {
                li class="point" {
                    (mark(Icon::Failed, "failed"))
                    p { strong { "Given up" } " " @if let Some(reason) = task.reason { (parts::reason(reason)) " " } @if let Some(time) = ended() { (time) } }
                }
            }
            Status::Cancelled => {
                li class="point" { (mark(Icon::Cancelled, "")) p { strong { "Cancelled" } " " @if let Some(time) = ended() { (time) } } }
            }
            Status::Pending => {
                li class="point" { (mark(Icon::Pending, "")) p { (headline::waits(view, task, held)) } }
            }
            Status::Scheduled => {}
        }
    }
}

/// The attempts that are left, if all fail with a retryable fault.
fn to_come(view: &View, task: &TaskView) -> Markup {
    let next = task.next.as_deref().unwrap_or_default();
    // The one that waits for a worker is shown already.
    let next = next.get(usize::from(task.status == Status::Pending)..).unwrap_or_default();
    let (shown, rest) = next.split_at(next.len().min(TO_COME));
    let and_more = task.and_more.unwrap_or(0);
    let befores = std::iter::once(current(task))
        .chain(shown.iter().map(|it| Some((it.attempt, it.earliest, it.latest))));
    html! {
        @for (attempt, before) in shown.iter().zip(befores) {
            (planned(view, attempt, before.filter(|_| task.status != Status::Scheduled)))
        }
        @if let Some(last) = rest.last() {
            li class="wait to-come" {
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

/// The attempt that is due or under way, which those to come are counted from: nobody knows when
/// it ends.
fn current(task: &TaskView) -> Option<Before> {
    let due = task.scheduled_at;
    matches!(task.status, Status::Pending | Status::Running).then_some((
        task.attempts + 1,
        due,
        due,
    ))
}

fn planned(view: &View, attempt: &NextAttempt, before: Option<Before>) -> Markup {
    html! {
        li class="point to-come" {
            (mark(Icon::Scheduled, "scheduled"))
            p { "Attempt " (attempt.attempt) " " (when(view, attempt, before)) }
        }
    }
}

/// When an attempt is due: so long after the one before, or at a time if that is known.
fn when(view: &View, attempt: &NextAttempt, before: Option<Before>) -> Markup {
    let NextAttempt { earliest, latest, .. } = *attempt;
    let band = between(earliest, latest);
    html! {
        @if let Some((number, first, last)) = before {
            span class="muted" {
                (parts::band(between(first, earliest), between(last, latest))) " after attempt " (number)
            }
        } @else {
            (parts::at(view.now, earliest.max(view.now)))
            @if band >= Duration::from_secs(1) { span class="muted" { ", up to " (parts::lasting(band)) " later by its jitter" } }
        }
    }
}

fn between(earliest: Timestamp, latest: Timestamp) -> Duration {
    Duration::try_from(latest.duration_since(earliest)).unwrap_or_default()
}
