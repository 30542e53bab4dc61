//! Tasks: the list of them, one of them, and what can be done to them.

mod act;
mod actions;
mod called;
mod chosen;
mod filter;
mod headline;
mod held;
mod list;
mod new;
mod requeue;
mod rows;
mod schedule;
mod show;
mod text;
mod timeline;

use axum::Router;
use axum::routing::{get, post};
use steadfast_api::ApiError;

use crate::app::App;

/// Every page of tasks.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/tasks", get(list::list))
        .route("/tasks/new", get(new::blank).post(new::submit))
        .route("/tasks/requeue", get(requeue::look).post(requeue::requeue))
        .route("/tasks/{id}", get(show::show))
        .route("/tasks/{id}/cancel", post(act::cancel))
        .route("/tasks/{id}/requeue", post(act::requeue))
        .route("/tasks/{id}/run-now", post(act::run_now))
        // What was typed wrong is told at this address, and a page asks for its own again.
        .route("/tasks/{id}/expiry", get(show::show).post(act::expiry))
}

/// What is wrong with a field, for beside it.
fn in_short(error: &ApiError) -> String {
    match &error.next {
        Some(next) => format!("{}; {next}", error.detail),
        None => error.detail.clone(),
    }
}
