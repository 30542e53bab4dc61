//! Workflows that are kept: which there are, what each does, and starting one.

mod again;
mod list;
mod show;
mod start;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(super) use list::first;

/// The pages of workflows.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/workflows", get(list::list))
        .route("/workflows/{id}", get(show::show).post(start::start))
}
