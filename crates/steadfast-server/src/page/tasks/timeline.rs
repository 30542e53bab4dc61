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

use crate::page::icon::{Icon, icon};
use crate::page::parts;
use crate::page::view::View;

/// So many of the last attempts are shown in full; a task may have thousands.
const SHOWN: usize = 30;
/// So many of those to come.
const TO_COME: usize = 6;

/// The whole life of a task.
pub(super) fn timeline(view: &View, task: &TaskView) -> Markup {
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
            (now(view, task))
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
            (mark(Icon::Failed, "failed"))
            p {
                strong { "Attempt " (record.attempt) " failed" } " "
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

/// Where it is now.
fn now(view: &View, task: &TaskView) -> Markup {
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
                li class="point" { (mark(Icon::Pending, "")) p { strong { "Waits for a worker" } " for " (parts::ago(view.now, task.scheduled_at)) } }
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
    html! {
        @for attempt in shown { (planned(view, attempt)) }
        @if let Some(last) = rest.last() {
            li class="wait to-come" {
                p {
                    (parts::count(rest.len() as u64 + u64::from(and_more))) " more"
                    @if and_more == 0 { ", the last one " (parts::at(view.now, last.latest)) " at the latest" }
                }
            }
        }
    }
}

fn planned(view: &View, attempt: &NextAttempt) -> Markup {
    html! {
        li class="point to-come" {
            (mark(Icon::Scheduled, "scheduled"))
            p {
                "Attempt " (attempt.attempt) " " (parts::at(view.now, attempt.earliest.max(view.now)))
                @let band = between(attempt.earliest, attempt.latest);
                @if band >= Duration::from_secs(1) { span class="muted" { ", up to " (parts::lasting(band)) " later by its jitter" } }
            }
        }
    }
}

fn between(earliest: Timestamp, latest: Timestamp) -> Duration {
    Duration::try_from(latest.duration_since(earliest)).unwrap_or_default()
}
