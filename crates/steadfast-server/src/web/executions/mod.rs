//! Workflow executions: the list, and one execution with its nodes.

mod control;
mod graph;
mod list;
mod node_tasks;
mod show;

use axum::Router;
use axum::routing::{get, post};
use maud::{Markup, html};
use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::ExecutionStatus;

use super::{Icon, icon};
use crate::app::App;

pub(super) use graph::{GraphNode, graph};
pub(super) use list::rows;

/// The routes of executions.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/executions", get(list::list))
        .route("/executions/{id}", get(show::show))
        .route("/executions/{id}/cancel", post(control::cancel))
        .route("/executions/{id}/resume", post(control::resume))
        .route("/executions/{id}/retry", post(control::retry))
}

/// The status of an execution as a coloured icon with a label.
pub(super) fn status(status: ExecutionStatus) -> Markup {
    let shape = match status {
        ExecutionStatus::Running => Icon::Running,
        ExecutionStatus::Completed => Icon::Completed,
        ExecutionStatus::Failed => Icon::Failed,
        ExecutionStatus::Cancelled => Icon::Cancelled,
    };
    html! { span class={ "status " (status.name()) } { (icon(shape)) (status.name()) } }
}

/// The status of a node, in the same way.
fn node_status(status: ExecutionNodeStatus) -> Markup {
    let shape = match status {
        ExecutionNodeStatus::Waiting => Icon::Pending,
        ExecutionNodeStatus::Submitted => Icon::Running,
        ExecutionNodeStatus::Completed => Icon::Completed,
        ExecutionNodeStatus::Failed => Icon::Failed,
        ExecutionNodeStatus::Cancelled => Icon::Cancelled,
    };
    html! { span class={ "status " (node_class(status)) } { (icon(shape)) (status.name()) } }
}

/// The task status whose colour a node has.
const fn node_class(status: ExecutionNodeStatus) -> &'static str {
    match status {
        ExecutionNodeStatus::Waiting => "pending",
        ExecutionNodeStatus::Submitted => "running",
        ExecutionNodeStatus::Completed => "completed",
        ExecutionNodeStatus::Failed => "failed",
        ExecutionNodeStatus::Cancelled => "cancelled",
    }
}
