//! The list of tasks.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use steadfast_api::{Page, TaskView};
use steadfast_store::Status;

use super::task_query::TaskQuery;
use super::text_search::{self, SearchResult};
use super::{filter, label, requeue, rows};
use crate::app::App;
use crate::auth::Viewer;
use crate::http::Problem;
use crate::limits::ReadPermit;
use crate::web::{Section, View, parts};

/// Tasks that match the query.
pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    State(app): State<App>,
    query: TaskQuery,
    _permit: ReadPermit,
) -> Result<Response, Problem> {
    let TaskQuery { filter, page, .. } = &query;
    let found = match &query.text {
        Some(text) => text_search::find(&api, filter, page, text).await?,
        None => SearchResult { tasks: api.rows(filter, page).await?, scanned: 0 },
    };
    let SearchResult { mut tasks, scanned } = found;
    label::load_payloads(&app.store, &mut tasks.items).await?;
    let content = html! {
        (parts::head("Tasks", html! { @if view.can_operate() { (actions(&query, &tasks.items)) } }))
        (filter::bar(&query))
        section class="panel" aria-label="Tasks" { (results(&view, &query, &tasks)) }
        @if query.text.is_some() { p class="muted" { "Searched " (parts::pluralize(scanned as u64, "task")) } }
        (parts::pager("/tasks", &query.pairs(), page, tasks.next.as_ref()))
    };
    Ok(view.show(Section::Tasks, "Tasks", &content))
}

fn actions(query: &TaskQuery, tasks: &[TaskView]) -> Markup {
    let are_finished = query.filter.status.is_some_and(Status::is_ended);
    html! {
        @if are_finished && query.text.is_none() && !tasks.is_empty() {
            a class="button" href=(requeue::url(&query.filter)) { "Requeue all" }
        }
        a class="button main" href="/tasks/new" { "New task" }
    }
}

fn results(view: &View, query: &TaskQuery, tasks: &Page<TaskView>) -> Markup {
    if !tasks.items.is_empty() {
        return rows::rows(view, &tasks.items);
    }
    if tasks.next.is_some() {
        return parts::empty(
            "No matches on this page",
            html! { p { "Each page searches a few thousand tasks. Continue with the next page." } },
        );
    }
    let is_unfiltered = !query.is_filtered() && query.filter.status.is_none();
    if is_unfiltered && query.page.after.is_none() {
        return parts::first_task(view);
    }
    parts::empty(
        "No matching tasks",
        html! {
            p { "Finished tasks are deleted after the retention period. " a href="/tasks" { "View all tasks" } }
        },
    )
}
