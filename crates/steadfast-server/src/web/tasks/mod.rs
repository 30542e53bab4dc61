//! Tasks: the list, the page of one, the forms, and operator actions.

mod blockers;
mod buttons;
mod control;
mod filter;
mod headline;
mod label;
mod list;
mod new;
mod requeue;
mod schedule;
mod show;
mod text_search;
mod timeline;

use std::collections::HashMap;

use axum::Router;
use axum::routing::{get, post};
use steadfast_api::ApiError;
use steadfast_store::{Documents, Filter, PageRequest, Store, StoredTask, TaskId};

use crate::app::App;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/tasks", get(list::list))
        .route("/tasks/new", get(new::blank).post(new::submit))
        .route("/tasks/requeue", get(requeue::preview).post(requeue::requeue))
        .route("/tasks/{id}", get(show::show))
        .route("/tasks/{id}/cancel", post(control::cancel))
        .route("/tasks/{id}/requeue", post(control::requeue))
        .route("/tasks/{id}/run-now", post(control::run_now))
        // An invalid expiry is shown at this URL, and the script reloads the current URL.
        .route("/tasks/{id}/expiry", get(show::show).post(control::expiry))
}

const MAX_TASKS: u32 = 100;

pub(super) async fn by_ids(
    store: &Store,
    ids: impl Iterator<Item = TaskId>,
    documents: Documents,
) -> Result<HashMap<TaskId, StoredTask>, ApiError> {
    let ids: Vec<_> = ids.take(MAX_TASKS as usize).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut filter = Filter::all();
    filter.ids = Some(ids);
    let page = PageRequest { limit: MAX_TASKS, after: None };
    let tasks = store.tasks_with(&filter, &page, documents).await?.items;
    Ok(tasks.into_iter().map(|task| (task.id, task)).collect())
}

fn field_error(error: &ApiError) -> String {
    match &error.next {
        Some(next) => format!("{}; {next}", error.detail),
        None => error.detail.clone(),
    }
}
