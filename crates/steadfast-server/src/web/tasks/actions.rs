//! What can be done to a task, where it is.

use maud::{Markup, html};
use steadfast_api::TaskView;
use steadfast_store::{Event, Status};

use super::show::Wrong;
use crate::web::view::View;
use crate::web::{link, parts};

/// The buttons for it.
pub(super) fn actions(view: &View, task: &TaskView, wrong: Option<&Wrong>) -> Markup {
    let can = |event| task.status.after(event).is_some();
    let path = link::task(task.id);
    html! {
        @if task.status == Status::Scheduled {
            form method="post" action={ (path) "/run-now" } { button class="button main" { "Run now" } }
        }
        @if task.status == Status::Cancelled {
            form method="post" action={ (path) "/requeue" } {
                button class="button main" name="time" value="kept" { "Undo: go on" }
            }
        }
        @if can(Event::Requeue) { (again(view, task, &path)) }
        @if !task.status.is_ended() { (expiry(task, &path, wrong)) }
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

/// Trying it again. What is done is not done twice, nor what was for later now, without a question.
fn again(view: &View, task: &TaskView, path: &str) -> Markup {
    let (ask, yes) = match task.status {
        Status::Completed => (Some("It has completed. Do it again?"), Some("Do it again")),
        Status::Cancelled if task.scheduled_at > view.now => {
            (Some("It was not due yet. Do it now?"), Some("Do it now"))
        }
        _ => (None, None),
    };
    html! {
        form method="post" action={ (path) "/requeue" } {
            button class="button" name="count" value="fresh" data-confirm=[ask] data-yes=[yes] {
                "Retry from the start" @if task.policy.is_some() { " (" (attempts(task.max_attempts)) ")" }
            }
            @if task.status != Status::Cancelled {
                button class="button" data-confirm=[ask] data-yes=[yes] { "Retry once" }
            }
        }
    }
}

fn attempts(number: u32) -> Markup {
    html! { (parts::count(number.into())) @if number == 1 { " attempt" } @else { " attempts" } }
}

/// When it is too late. It stands open where what was typed is wrong.
fn expiry(task: &TaskView, path: &str, wrong: Option<&Wrong>) -> Markup {
    let kept = task.expires_at.map(|time| time.to_string()).unwrap_or_default();
    let value = wrong.map_or(kept.as_str(), |wrong| wrong.typed.as_str());
    html! {
        details class="menu" open[wrong.is_some()] {
            summary class="button" { "Expires" }
            form method="post" action={ (path) "/expiry" } data-keep {
                (parts::Field {
                    name: "expires_at", label: "Expires", value, example: "never",
                    help: "A time, or how long from now: 2h, 7d. Empty: never.",
                    problem: wrong.map(|wrong| wrong.problem.as_str()),
                    ..parts::Field::default()
                }.show())
                button class="button main" { "Change" }
            }
        }
    }
}
