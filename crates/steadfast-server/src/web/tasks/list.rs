//! The list of tasks.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use steadfast_api::{Page, TaskView};
use steadfast_store::Status;

use super::chosen::ChosenTasks;
use super::text::{self, Found};
use super::{called, filter, requeue, rows};
use crate::app::App;
use crate::extract::Ask;
use crate::problem::Problem;
use crate::read_permits::Turn;
use crate::web::parts;
use crate::web::section::Section;
use crate::web::view::View;

/// Some tasks.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    State(app): State<App>,
    chosen: ChosenTasks,
    _turn: Turn,
) -> Result<Response, Problem> {
    let ChosenTasks { filter, page, .. } = &chosen;
    let found = match &chosen.text {
        Some(text) => text::find(&api, filter, page, text).await?,
        None => Found { tasks: api.rows(filter, page).await?, looked_through: 0 },
    };
    let Found { mut tasks, looked_through } = found;
    called::learn(app.store(), &mut tasks.items).await?;
    let inside = html! {
        (parts::head("Tasks", html! { @if view.may_change() { (ways(&chosen, &tasks.items)) } }))
        (filter::bar(&chosen))
        section class="panel" aria-label="Tasks" { (shown(&view, &chosen, &tasks)) }
        @if chosen.text.is_some() { p class="muted" { "Looked through " (looked_through) " tasks." } }
        (parts::pager("/tasks", &chosen.pairs(), page, tasks.next.as_ref()))
    };
    Ok(view.show(Section::Tasks, "Tasks", &inside))
}

fn ways(chosen: &ChosenTasks, tasks: &[TaskView]) -> Markup {
    let are_over = chosen.filter.status.is_some_and(Status::is_ended);
    html! {
        @if are_over && chosen.text.is_none() && !tasks.is_empty() {
            a class="button" href=(requeue::address(&chosen.filter)) { "Requeue these" }
        }
        a class="button main" href="/tasks/new" { "New task" }
    }
}

fn shown(view: &View, chosen: &ChosenTasks, tasks: &Page<TaskView>) -> Markup {
    if !tasks.items.is_empty() {
        return rows::rows(view, &tasks.items);
    }
    if tasks.next.is_some() {
        return parts::empty(
            "None of those that were looked at is like that",
            html! { p { "A page looks at some thousands of tasks. Go on to the next ones below." } },
        );
    }
    let is_everything = !chosen.is_narrowed() && chosen.filter.status.is_none();
    if is_everything && chosen.page.after.is_none() {
        return parts::first_task(view);
    }
    parts::empty(
        "No task is like that",
        html! {
            p { "Ended tasks are forgotten in time. " a href="/tasks" { "See all of them" } "." }
        },
    )
}
