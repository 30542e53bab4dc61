//! Executions of workflows: which there are, and one with its nodes.

mod act;
mod graph;
mod list;
mod show;
mod standing;

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};
use steadfast_flow::NodePlace;
use steadfast_store::ExecutionStatus;

use super::icon::{Icon, icon};
use crate::app::App;

pub(super) use graph::{Drawn, draw};
pub(super) use list::rows;

/// The pages of executions.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/executions", get(list::list))
        .route("/executions/{id}", get(show::show))
        .route("/executions/{id}/cancel", post(act::cancel))
        .route("/executions/{id}/resume", post(act::resume))
        .route("/executions/{id}/retry", post(act::retry))
}

/// Where an execution is: by colour, by shape and in words.
pub(super) fn status(status: ExecutionStatus) -> Markup {
    let shape = match status {
        ExecutionStatus::Running => Icon::Running,
        ExecutionStatus::Completed => Icon::Completed,
        ExecutionStatus::Failed => Icon::Failed,
        ExecutionStatus::Cancelled => Icon::Cancelled,
    };
    html! { span class={ "status " (status.name()) } { (icon(shape)) (status.name()) } }
}

/// Where a node is, in the same way.
fn place(place: NodePlace) -> Markup {
    let shape = match place {
        NodePlace::Waiting => Icon::Pending,
        NodePlace::Submitted => Icon::Running,
        NodePlace::Completed => Icon::Completed,
        NodePlace::Failed => Icon::Failed,
        NodePlace::Cancelled => Icon::Cancelled,
    };
    html! { span class={ "status " (looks(place)) } { (icon(shape)) (place.name()) } }
}

/// The status of a task that a node in this place looks like.
const fn looks(place: NodePlace) -> &'static str {
    match place {
        NodePlace::Waiting => "pending",
        NodePlace::Submitted => "running",
        NodePlace::Completed => "completed",
        NodePlace::Failed => "failed",
        NodePlace::Cancelled => "cancelled",
    }
}
