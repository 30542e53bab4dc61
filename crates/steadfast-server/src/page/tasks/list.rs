//! The list of tasks.

use axum::response::Response;
use maud::{Markup, html};
use steadfast_api::{Api, Page, TaskFilter, TaskView};
use steadfast_store::Status;

use super::{filter, rows};
use crate::ask::Ask;
use crate::page::chosen::Chosen;
use crate::page::parts;
use crate::page::section::Section;
use crate::page::view::View;
use crate::problem::Problem;

/// Some tasks, the newest first.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    Chosen { filter, page }: Chosen<TaskFilter>,
) -> Result<Response, Problem> {
    let tasks = api.tasks(&filter, &page).await?;
    let inside = html! {
        (parts::head("Tasks", html! {
            @if view.may_change() {
                @if filter.status.is_some_and(Status::is_ended) && !tasks.items.is_empty() {
                    a class="button" href=(super::requeue::address(&filter)) { "Requeue these" }
                }
                a class="button main" href="/tasks/new" { "New task" }
            }
        }))
        (filter::bar(&filter))
        (found(&view, &filter, &tasks))
        (parts::pager("/tasks", &filter, &page, tasks.next.as_ref()))
    };
    Ok(view.show(Section::Tasks, "Tasks", &inside))
}

fn found(view: &View, filter: &TaskFilter, tasks: &Page<TaskView>) -> Markup {
    let is_everything = *filter == TaskFilter::default();
    html! {
        section class="panel" aria-label="Tasks" {
            @match (tasks.items.is_empty(), is_everything) {
                (false, _) => (rows::rows(view, &tasks.items)),
                (true, true) => (parts::first_task(view)),
                (true, false) => (parts::empty("No task is like that", html! {
                    p { "Ended tasks are forgotten in time. " a href="/tasks" { "See all of them" } "." }
                })),
            }
        }
    }
}
