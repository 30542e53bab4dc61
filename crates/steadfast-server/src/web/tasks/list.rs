//! The list of tasks.

use maud::{Markup, html};
use steadfast_api::{Page, TaskView};
use steadfast_store::Status;

use super::filter::{self, TaskQuery};
use super::label;
use super::text_search::{self, SearchResult};
use crate::auth::Viewer;
use crate::limits::ReadPermit;
use crate::web::parts::{self, Number, Text};
use crate::web::{PageResult, Section, View, link};

pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    query: TaskQuery,
    _permit: ReadPermit,
) -> PageResult {
    let TaskQuery { filter, page, .. } = &query;
    let found = match &query.text {
        Some(text) => text_search::find(&api, filter, page, text).await?,
        None => SearchResult { tasks: api.rows(filter, page).await?, scanned: 0 },
    };
    let SearchResult { mut tasks, scanned } = found;
    label::load_payloads(&view.app.store, &mut tasks.items).await?;
    let content = html! {
        (parts::head("Tasks", html! { @if view.can_operate() { (actions(&query, &tasks.items)) } }))
        (filter::bar(&query))
        section class="panel" aria-label="Tasks" { (results(&view, &query, &tasks)) }
        @if query.text.is_some() { p class="muted" { "Searched " (parts::pluralize(scanned as u64, "task")) } }
        (parts::pager("/tasks", &query.pairs(), page, tasks.next.as_ref()))
    };
    Ok(view.show(Section::TASKS, "Tasks", &content))
}

fn actions(query: &TaskQuery, tasks: &[TaskView]) -> Markup {
    let are_finished = query.filter.status.is_some_and(Status::is_ended);
    html! {
        @if are_finished && query.text.is_none() && !tasks.is_empty() {
            a class="button" href=(link::filtered("/tasks/requeue", &query.filter)) { "Requeue all" }
        }
        a class="button main" href="/tasks/new" { "New task" }
    }
}

fn results(view: &View, query: &TaskQuery, tasks: &Page<TaskView>) -> Markup {
    if !tasks.items.is_empty() {
        return rows(view, &tasks.items);
    }
    if tasks.next.is_some() {
        return parts::no_matches_here("Each page searches a few thousand tasks.");
    }
    let is_unfiltered = !query.is_filtered() && query.filter.status.is_none();
    if is_unfiltered && query.page.after.is_none() {
        return parts::first_task(view);
    }
    let why = "Finished tasks are deleted after the retention period.";
    parts::no_matches("tasks", why, "/tasks")
}

pub(crate) fn rows(view: &View, tasks: &[TaskView]) -> Markup {
    let columns = [
        Text("Status"),
        Text("Task"),
        Text("Queue"),
        Number("Attempts"),
        Text("Time"),
        Text("Last error"),
    ];
    parts::table("tasks", &columns, tasks.iter().map(|task| row(view, task)))
}

fn row(view: &View, task: &TaskView) -> Markup {
    html! {
        tr id={ "row-" (task.id) } data-row {
            td { (parts::status(task.status)) }
            td class="name" {
                a href=(link::task(task.id)) { (task.kind) @if let Some(label) = label::label(task) { " " (label) } }
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
            td class="wide muted" title=[task.last_error.as_ref().map(|error| parts::error(&error.message))] { (error(task)) }
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
        @if let Some(error) = &task.last_error { (parts::error(&error.message)) }
    }
}
