//! The timeline of a task: past attempts, the current state and remaining attempts.
//!
//! Past attempts show the retry decision and its delay. Those of a session that was handed over stand
//! before the submission. Requeues of this task come from the audit log; one of many tasks at once is
//! not recorded by task, but shows in the history: an attempt that had no retry is followed by another.
//! Remaining attempts show the earliest and the latest time that the jitter allows (D18).

use std::time::Duration;

use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{ApiError, NextAttempt, TaskView};
use steadfast_store::{AuditQuery, FaultRecord, PageRequest, Status, Store};

use super::headline;
use crate::web::{Icon, View, parts};

const MAX_PAST: usize = 30;
const MAX_UPCOMING: usize = 6;
/// The number of audit entries of the task that are searched for requeues.
const MAX_AUDIT_ENTRIES: u32 = 100;
/// The action of a requeue in the audit log.
const REQUEUE: &str = "tasks.requeue";
/// An attempt that ends this long after it was due is worth a note.
const MIN_NOTED_WAIT: Duration = Duration::from_secs(5);

/// The preceding attempt: its number, and the earliest and latest time that it is due.
type Previous = (u32, Timestamp, Timestamp);

/// The latest requeues of a task, from the audit log, oldest first.
pub(super) async fn requeues(store: &Store, task: &TaskView) -> Result<Vec<Timestamp>, ApiError> {
    let mut query = AuditQuery::default();
    query.target = Some(task.id.to_string());
    query.page = PageRequest { limit: MAX_AUDIT_ENTRIES, after: None };
    let entries = store.audit_entries(&query).await?.items;
    let requeues = entries.into_iter().filter(|entry| entry.action == REQUEUE);
    let mut times: Vec<_> = requeues.filter_map(|entry| entry.at).collect();
    times.reverse();
    Ok(times)
}

pub(super) fn timeline(
    view: &View,
    task: &TaskView,
    requeues: &[Timestamp],
    blockers: Option<&Markup>,
) -> Markup {
    let faults = task.faults.as_deref().unwrap_or_default();
    // The store reads its clock for them before it inserts the task.
    let prior = faults.partition_point(|fault| fault.at <= task.submitted_at);
    let (prior, own) = faults.split_at(prior);
    let hidden = own.len().saturating_sub(MAX_PAST);
    let hidden_prior = prior.len().saturating_sub(MAX_PAST);
    html! {
        ol class="timeline" {
            @if hidden_prior > 0 { li class="wait" { (hidden_prior) " earlier failures not shown" } }
            @for (index, fault) in prior.iter().enumerate().skip(hidden_prior) {
                (failed(view, fault, "Earlier attempt"))
                @if index + 1 < prior.len() { (wait(fault, None)) }
            }
            li class="point" {
                (parts::mark(Icon::PLUS, ""))
                p {
                    strong { "Submitted" } " " (parts::at(view.now, task.submitted_at))
                    @if !prior.is_empty() { ", after the attempts above; they count as attempt 1" }
                }
            }
            @if let Some(delay) = prior.last().and_then(|last| last.next_delay) {
                li class="wait" { "delay " (parts::seconds(delay)) }
            }
            @if hidden > 0 { li class="wait" { (hidden) " earlier failures not shown" } }
            @else { (requeued(view, requeues, None, own.first(), false)) }
            @for (index, fault) in own.iter().enumerate().skip(hidden) {
                @let next = own.get(index + 1);
                (failed(view, fault, "Attempt"))
                (wait(fault, next))
                (requeued(view, requeues, Some(fault), next, is_requeued(task, fault, next)))
            }
            (current_state(view, task, blockers))
            (upcoming(view, task))
        }
    }
}

/// The time between two attempts: the delay, and how much later the next one ended, if that is
/// notable. The store does not record when an attempt starts.
fn wait(record: &FaultRecord, next: Option<&FaultRecord>) -> Markup {
    let Some(delay) = record.next_delay else { return html! {} };
    let planned = Duration::try_from_secs_f64(delay).unwrap_or_default();
    let ended_after = next.map(|next| between(record.at, next.at));
    let noted = ended_after.filter(|after| *after >= planned.saturating_add(MIN_NOTED_WAIT));
    html! {
        li class="wait" {
            "delay " (parts::seconds(delay))
            @if let Some(after) = noted {
                "; the next attempt ended after " (parts::duration(after))
                ", including any wait for a worker or a breaker"
            }
        }
    }
}

/// Whether an operator requeued the task after this failure, which had no retry.
fn is_requeued(task: &TaskView, record: &FaultRecord, next: Option<&FaultRecord>) -> bool {
    record.next_delay.is_none() && (next.is_some() || task.status != Status::Failed)
}

/// The requeues between two failures. One that is certain but not recorded has no time.
fn requeued(
    view: &View,
    requeues: &[Timestamp],
    after: Option<&FaultRecord>,
    before: Option<&FaultRecord>,
    is_certain: bool,
) -> Markup {
    let is_between = |time: &&Timestamp| {
        after.is_none_or(|it| it.at < **time) && before.is_none_or(|it| **time < it.at)
    };
    let times: Vec<_> = requeues.iter().filter(is_between).collect();
    html! {
        @for time in &times { (requeue_point(html! { " " (parts::at(view.now, **time)) })) }
        @if is_certain && times.is_empty() { (requeue_point(html! {})) }
    }
}

fn requeue_point(time: Markup) -> Markup {
    html! {
        li class="point" {
            (parts::mark(Icon::PLUS, ""))
            p { strong { "Requeued" } (time) }
        }
    }
}

fn failed(view: &View, record: &FaultRecord, label: &str) -> Markup {
    let fault = serde_json::to_value(&record.fault).unwrap_or(Value::Null);
    html! {
        li class="point" {
            @if headline::is_rate_limit_wait(record) {
                (parts::mark(Icon::SCHEDULED, "scheduled"))
            } @else { (parts::mark(Icon::FAILED, "failed")) }
            p {
                (outcome(record, label)) " "
                (parts::class(record.class)) " " (parts::at(view.now, record.at))
            }
            p class="message" { (parts::error(&record.message)) }
            @if let Some(why) = &record.why { p class="why" { (parts::why(why)) } }
            @for cause in &record.fault.causes {
                @if let Some(message) = &cause.message { p class="why" { "caused by: " (message) } }
            }
            details { summary { "Failure details" } (parts::document("failure details", &fault)) }
        }
    }
}

/// The outcome of an attempt. A rate-limit wait is not a failure and does not count.
fn outcome(record: &FaultRecord, label: &str) -> Markup {
    html! {
        @if headline::is_rate_limit_wait(record) {
            strong { "Rate limited" } " (not counted as an attempt)"
        } @else { strong { (label) " " (record.attempt) " failed" } }
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
                p { "Attempt " (attempt.attempt) @if previous.is_some() { "," } " " (due(view, attempt, previous)) }
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
            (parts::from_now_on(view.now, earliest))
            @if band >= Duration::from_secs(1) { span class="muted" { ", up to " (parts::duration(band)) " later with jitter" } }
        }
    }
}

fn between(earliest: Timestamp, latest: Timestamp) -> Duration {
    Duration::try_from(latest.duration_since(earliest)).unwrap_or_default()
}
