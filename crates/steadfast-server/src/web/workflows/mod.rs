//! Workflows: the list, the page of one, and the form that starts an execution.

mod list;
mod retry_summary;
mod show;
mod start;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(super) use list::get_started;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/workflows", get(list::list))
        .route("/workflows/{id}", get(show::show).post(start::start))
}
