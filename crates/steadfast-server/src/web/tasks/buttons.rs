//! The action buttons of a task.

use maud::{Markup, html};
use steadfast_api::TaskView;
use steadfast_store::{Event, Status};

use super::show::InvalidInput;
use crate::web::{View, link, parts};

pub(super) fn buttons(view: &View, task: &TaskView, invalid: Option<&InvalidInput>) -> Markup {
    let can = |event| task.status.after(event).is_some();
    let path = link::task(task.id);
    html! {
        @if task.status == Status::Scheduled {
            form method="post" action={ (path) "/run-now" } { button class="button main" { "Run now" } }
        }
        @if task.status == Status::Cancelled {
            form method="post" action={ (path) "/requeue" } {
                button class="button main" name="time" value="kept" { "Undo cancellation" }
            }
        }
        @if can(Event::Requeue) { (requeue(view, task, &path)) }
        @if !task.status.is_ended() { (expiry(task, &path, invalid)) }
        @if can(Event::Cancel) {
            form method="post" action={ (path) "/cancel" } {
                button class="button danger" data-yes="Cancel task" data-no="Keep task"
                    data-confirm={ "Cancel this " (task.kind) " task?" @if task.status == Status::Running { " Its worker is notified." } " You can requeue it later." } {
                    "Cancel"
                }
            }
        }
    }
}

/// Requeueing. Repeating a completed task, or running one early, needs a confirmation.
fn requeue(view: &View, task: &TaskView, path: &str) -> Markup {
    let (question, yes) = match task.status {
        Status::Completed => (Some("This task has completed. Run it again?"), Some("Run again")),
        Status::Cancelled if task.scheduled_at > view.now => {
            (Some("This task is not due yet. Run it now?"), Some("Run now"))
        }
        _ => (None, None),
    };
    html! {
        form method="post" action={ (path) "/requeue" } {
            button class="button" name="count" value="fresh" data-confirm=[question] data-yes=[yes] {
                "Requeue" @if task.policy.is_some() { " (" (parts::pluralize(task.max_attempts.into(), "new attempt")) ")" }
            }
            @if task.status != Status::Cancelled {
                button class="button" data-confirm=[question] data-yes=[yes] { "Requeue for one more attempt" }
            }
        }
    }
}

/// The expiry form, open if its last value was invalid.
fn expiry(task: &TaskView, path: &str, invalid: Option<&InvalidInput>) -> Markup {
    let current = task.expires_at.map(|time| time.to_string()).unwrap_or_default();
    let value = invalid.map_or(current.as_str(), |input| input.value.as_str());
    html! {
        details class="menu" open[invalid.is_some()] {
            summary class="button" { "Set expiry" }
            form method="post" action={ (path) "/expiry" } data-preserve {
                (parts::Field {
                    name: "expires_at", label: "Expires at", value, placeholder: "never",
                    help: "A time or a delay such as 2h or 7d. Leave empty for never.",
                    problem: invalid.map(|input| input.problem.as_str()),
                    ..parts::Field::default()
                }.show())
                button class="button main" { "Save" }
            }
        }
    }
}
