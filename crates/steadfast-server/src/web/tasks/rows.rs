//! The task table.

use maud::{Markup, html};
use steadfast_api::TaskView;
use steadfast_store::Status;

use super::label::label;
use crate::web::parts::{self, Number, Text};
use crate::web::{View, link};

/// A table of tasks.
pub(crate) fn rows(view: &View, tasks: &[TaskView]) -> Markup {
    let columns = [
        Text("Status"),
        Text("Task"),
        Text("Queue"),
        Number("Attempts"),
        Text("Time"),
        Text("Last error"),
    ];
    parts::table("tasks", &columns, html! { @for task in tasks { (row(view, task)) } })
}

fn row(view: &View, task: &TaskView) -> Markup {
    html! {
        tr id={ "row-" (task.id) } data-row {
            td { (parts::status(task.status)) }
            td class="name" {
                a href=(link::task(task.id)) { (task.kind) @if let Some(label) = label(task) { " " (label) } }
                " " span class="muted" { (parts::id(task.id)) }
            }
            td class="queue" {
                (task.queue)
                @if let Some(category) = &task.category { span class="muted" { " / " (category) } }
            }
            td class="number" {
                (task.attempts) @if task.policy.is_some() { span class="muted" { "/" (task.max_attempts) } }
            }
            td class="when" { (time(view, task)) }
            td class="wide muted" title=[task.last_error.as_ref().map(|error| &error.message)] { (error(task)) }
        }
    }
}

/// The time that matters in the current status.
fn time(view: &View, task: &TaskView) -> Markup {
    let at = |time| parts::at(view.now, time);
    html! {
        @match (task.status, task.ended_at, &task.lease) {
            (Status::Scheduled, ..) => { "due " (at(task.scheduled_at)) }
            (Status::Pending, ..) => { "waiting for " (parts::ago(view.now, task.scheduled_at)) }
            (Status::Running, _, Some(lease)) => { "on " (lease.owner) }
            (_, Some(ended), _) => { (at(ended)) }
            _ => { (at(task.submitted_at)) }
        }
    }
}

fn error(task: &TaskView) -> Markup {
    html! {
        @if let Some(problem) = &task.problem { (parts::unreadable(problem)) " " }
        @if let Some(reason) = task.reason { (parts::reason(reason)) " " }
        @if let Some(error) = &task.last_error { (error.message) }
    }
}
