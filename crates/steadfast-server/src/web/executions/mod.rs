//! Workflow executions: the list, and one execution with its nodes.

mod graph;
mod list;
mod node_tasks;
mod show;

use axum::Router;
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use jiff::Timestamp;
use maud::Markup;
use steadfast_api::{Api, ApiError, Execution};
use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::{ExecutionStatus, Status};

use super::{PageResult, link, parts};
use crate::app::App;
use crate::auth::Operator;
use crate::http::PathExecutionId;

pub(super) use graph::{GraphNode, graph};
pub(super) use list::rows;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/executions", get(list::list))
        .route("/executions/{id}", get(show::show))
        .route("/executions/{id}/cancel", post(cancel))
        .route("/executions/{id}/resume", post(resume))
        .route("/executions/{id}/retry", post(retry))
}

async fn cancel(Operator(api): Operator, PathExecutionId(id): PathExecutionId) -> PageResult {
    redirect(api.cancel_execution(id).await)
}

async fn resume(Operator(api): Operator, PathExecutionId(id): PathExecutionId) -> PageResult {
    redirect(api.resume_execution(id).await)
}

/// Starts a new execution with the same trigger.
async fn retry(Operator(api): Operator, PathExecutionId(id): PathExecutionId) -> PageResult {
    redirect(api.retry_execution(id).await)
}

fn redirect(changed: Result<Execution, ApiError>) -> PageResult {
    Ok(Redirect::to(&link::execution(changed?.id)).into_response())
}

/// Whether it waits for the due time of its first nodes, such as a retry.
fn is_scheduled(now: Timestamp, execution: &Execution) -> bool {
    execution.status == ExecutionStatus::Running && execution.due_at > now
}

/// The status of an execution; one that has not started yet is scheduled.
pub(super) fn execution_status(now: Timestamp, execution: &Execution) -> Markup {
    match is_scheduled(now, execution) {
        true => parts::status(Status::Scheduled),
        false => status(execution.status),
    }
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

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use serde_json::json;

    use super::*;

    /// W3: an execution that waits for its first nodes, such as a retry, is scheduled.
    #[test]
    fn execution_before_its_due_time_is_scheduled() {
        let now: Timestamp = "2026-07-01T08:00:00Z".parse().unwrap();
        let status = |status: &str, due_at: Timestamp| {
            let execution = json!({
                "id": steadfast_store::ExecutionId::fresh(), "workflow": "w", "workflow_id": 1,
                "status": status, "attempt": 2, "started_at": now, "due_at": due_at,
            });
            execution_status(now, &serde_json::from_value(execution).unwrap()).into_string()
        };
        let later = now + SignedDuration::from_mins(54);
        assert!(status("running", later).contains("status scheduled"));
        assert!(status("running", now).contains("status running"));
        assert!(status("cancelled", later).contains("status cancelled"));
    }
}
