//! Workflow executions: the list, and one execution with its nodes.

mod control;
mod graph;
mod list;
mod node_tasks;
mod show;

use axum::Router;
use axum::routing::{get, post};
use maud::Markup;
use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::{ExecutionStatus, Status};

use super::parts;
use crate::app::App;

pub(super) use graph::{GraphNode, graph};
pub(super) use list::rows;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/executions", get(list::list))
        .route("/executions/{id}", get(show::show))
        .route("/executions/{id}/cancel", post(control::cancel))
        .route("/executions/{id}/resume", post(control::resume))
        .route("/executions/{id}/retry", post(control::retry))
}

pub(super) fn status(status: ExecutionStatus) -> Markup {
    let like = match status {
        ExecutionStatus::Running => Status::Running,
        ExecutionStatus::Completed => Status::Completed,
        ExecutionStatus::Failed => Status::Failed,
        ExecutionStatus::Cancelled => Status::Cancelled,
    };
    parts::badge(like, status.name())
}

/// The task status whose colour and icon a node has.
const fn similar_task_status(status: ExecutionNodeStatus) -> Status {
    match status {
        ExecutionNodeStatus::Waiting => Status::Pending,
        ExecutionNodeStatus::Submitted => Status::Running,
        ExecutionNodeStatus::Completed => Status::Completed,
        ExecutionNodeStatus::Failed => Status::Failed,
        ExecutionNodeStatus::Cancelled => Status::Cancelled,
    }
}
