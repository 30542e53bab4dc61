//! One task: where it is, what comes next, what happened, what can be done.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Local, NextAttempt, TaskFilter, TaskView};
use steadfast_store::{Event, Status};

use super::{rows, schedule, timeline};
use crate::ask::Ask;
use crate::page::in_force::InForce;
use crate::page::section::Section;
use crate::page::view::View;
use crate::page::{link, parts};
use crate::path::Id;
use crate::problem::Problem;

/// How many tasks of the same request are shown.
const RELATED: u32 = 11;

/// One task.
pub(super) async fn show(view: View, Ask(api): Ask, Id(id): Id) -> Result<Response, Problem> {
    let task = api.task(id).await?.without_secrets(Redactor::installed());
    let related = related(&api, &task).await?;
    let policies = InForce::now(&api).await?;
    let title = format!("{} {}", task.kind, task.status);
    Ok(view.show(Section::Tasks, &title, &inside(&view, &task, &related, &policies)))
}

/// What belongs to the same request.
async fn related(api: &Local, task: &TaskView) -> Result<Vec<TaskView>, ApiError> {
    let Some(correlation_id) = task.correlation_id.clone() else {
        return Ok(Vec::new());
    };
    let filter = TaskFilter { correlation_id: Some(correlation_id), ..TaskFilter::default() };
    let page = steadfast_api::PageQuery { limit: RELATED, after: None };
    let mut found = api.rows(&filter, &page).await?.items;
    found.retain(|other| other.id != task.id);
    Ok(found)
}

fn inside(view: &View, task: &TaskView, related: &[TaskView], policies: &InForce) -> Markup {
    html! {
        div class="task-head" {
            p class="muted" { a href="/tasks" { "Tasks" } " / " (parts::copyable(&task.id.to_string(), "the id")) }
            div class="page-head" {
                h1 { (task.kind) }
                (parts::status(task.status))
                @if let Some(reason) = task.reason { (parts::reason(reason)) }
                @if view.may_change() { div class="beside" { (actions(task)) } }
            }
            @if let Some(problem) = &task.problem { (parts::unreadable(problem)) }
            p class="next" id="next" { (next(view, task)) }
        }
        div class="columns task" {
            div class="stack" {
                (parts::panel("Attempts", timeline::timeline(view, task)))
                (documents(task))
            }
            div class="stack" {
                (facts(view, task))
                (schedule::schedule(view, task.next.as_deref().unwrap_or_default()))
                (policy(task, policies))
                @if !related.is_empty() {
                    (parts::panel("Of the same request", rows::rows(view, related)))
                }
            }
        }
    }
}

/// One sentence: what happens now, or what happened last.
fn next(view: &View, task: &TaskView) -> Markup {
    let coming = task.next.as_deref().and_then(<[NextAttempt]>::first);
    html! {
        @match (task.status, coming) {
            (Status::Scheduled, Some(next)) => {
                "Attempt " (next.attempt) " of " (task.max_attempts) " in "
                strong { time datetime=(task.scheduled_at) data-countdown { (parts::span(view.now, task.scheduled_at)) } }
                @if let Some(error) = &task.last_error { ", because the last one failed: " (error.message) }
            }
            (Status::Scheduled, None) => { "Due " (parts::at(view.now, task.scheduled_at)) }
            (Status::Pending, _) => { "Waits for a worker for " (parts::ago(view.now, task.scheduled_at)) }
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
    }
}

/// What can be done to a task that is here.
fn actions(task: &TaskView) -> Markup {
    let can = |event| task.status.after(event).is_some();
    let path = format!("/tasks/{}", task.id);
    html! {
        @if task.status == Status::Scheduled { (action(&path, "run-now", "Run now", "button main")) }
        @if task.status == Status::Cancelled {
            form method="post" action={ (path) "/requeue" } {
                button class="button main" { "Undo: go on" }
            }
        }
        @if can(Event::Requeue) {
            form method="post" action={ (path) "/requeue" } {
                button class="button" name="count" value="fresh" { "Requeue from the start" }
                @if task.status != Status::Cancelled { button class="button" { "Try once more" } }
            }
        }
        @if !task.status.is_ended() { (expiry(task, &path)) }
        @if can(Event::Cancel) {
            form method="post" action={ (path) "/cancel" } {
                button class="button danger" data-yes="Cancel the task" data-no="Keep it"
                    data-confirm={ "Cancel this " (task.kind) " task? A worker that has it is told. You can let it go on later." } {
                    "Cancel"
                }
            }
        }
    }
}

fn action(path: &str, what: &str, label: &str, looks: &str) -> Markup {
    html! { form method="post" action={ (path) "/" (what) } { button class=(looks) { (label) } } }
}

fn expiry(task: &TaskView, path: &str) -> Markup {
    let value = task.expires_at.map(|time| time.to_string()).unwrap_or_default();
    html! {
        details class="menu" {
            summary class="button" { "Expiry" }
            form method="post" action={ (path) "/expiry" } data-keep {
                (parts::Field {
                    name: "expires_at", label: "Too late after", value: &value, example: "never",
                    help: "A time, or how long from now: 2h, 7d. Empty: never.", ..parts::Field::default()
                }.show())
                button class="button main" { "Change" }
            }
        }
    }
}

fn facts(view: &View, task: &TaskView) -> Markup {
    let at = |time| parts::at(view.now, time);
    parts::panel(
        "Facts",
        html! {
            dl class="facts" {
                dt { "Queue" } dd { a href=(link::queue(&task.queue)) { (task.queue) } }
                @if let Some(category) = &task.category { dt { "Category" } dd { (category) } }
                @if task.priority != 0 { dt { "Priority" } dd { (task.priority) } }
                dt { "Submitted" } dd { (at(task.submitted_at)) }
                dt { "Due" } dd { (at(task.scheduled_at)) }
                @if let Some(time) = task.last_attempt_at { dt { "Last attempt" } dd { (at(time)) } }
                @if let Some(time) = task.ended_at { dt { "Ended" } dd { (at(time)) } }
                dt { "Too late" } dd { @match task.expires_at { Some(time) => (at(time)), None => "never" } }
                dt { "Attempts" } dd { (task.attempts) @if task.policy.is_some() { " of " (task.max_attempts) } }
                @if task.rate_limit_waits > 0 { dt { "Waits asked for" } dd { (task.rate_limit_waits) } }
                @if let Some(lease) = &task.lease {
                    dt { "Worker" } dd { (lease.owner) }
                    dt { "Lease" } dd { "until " (at(lease.until)) ", version " (lease.version) }
                }
                @if let Some(key) = &task.idempotency_key { dt { "Idempotency key" } dd { (parts::copyable(key, "the key")) } }
                @if let Some(id) = &task.correlation_id { dt { "Correlation id" } dd { (parts::copyable(id, "the correlation id")) } }
            }
        },
    )
}

fn policy(task: &TaskView, policies: &InForce) -> Markup {
    let Some(policy) = &task.policy else {
        return html! {};
    };
    let name = policy.id().unwrap_or("its own");
    let beside = html! {
        @if let Some(address) = policies.address(name) { a href=(address) { "As it is now" } }
    };
    let value = serde_json::to_value(policy).unwrap_or(Value::Null);
    parts::panel_with(
        "Policy",
        beside,
        html! {
            dl class="facts" {
                dt { "As of submission" } dd { (name) }
                dt { "Attempts" } dd { (policy.max_attempts()) }
                @if let Some(limit) = policy.max_duration() { dt { "In all at most" } dd { (parts::lasting(limit)) } }
                @if let Some(limit) = policy.attempt_timeout() { dt { "Each at most" } dd { (parts::lasting(limit)) } }
            }
            details class="table" { summary { "All its values" } div class="within" { (parts::document("the policy", &value)) } }
        },
    )
}

fn documents(task: &TaskView) -> Markup {
    html! {
        (parts::panel("Payload", html! { div class="within" { (parts::document("the payload", &task.payload)) } }))
        @if let Some(result) = &task.result {
            (parts::panel("Result", html! { div class="within" { (parts::document("the result", result)) } }))
        }
    }
}
