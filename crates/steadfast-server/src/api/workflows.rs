//! Workflow definitions, and starting executions.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde_json::value::RawValue;
use steadfast::observe::Redactor;
use steadfast_api::openapi::Name;
use steadfast_api::{
    Api, CheckedWorkflow, NewExecution, Page, PageQuery, StartedExecution, WorkflowView,
};
use steadfast_flow::Workflow;
use steadfast_store::MAX_PAYLOAD;

use crate::auth::{Operator, Viewer};
use crate::http::{Body, IdempotencyKey, JsonResult, PathWorkflowId, Problem, Query, request_body};

// Stored as raw text, so that an identical definition is recognized.
request_body!(Box<RawValue>, "a workflow", MAX_PAYLOAD);
request_body!(NewExecution, "an execution", MAX_PAYLOAD + (4 << 10));

fn redacted(workflow: WorkflowView) -> WorkflowView {
    workflow.without_secrets(Redactor::installed())
}

/// Validate a workflow and report all problems. Accepts any JSON.
#[utoipa::path(
    post, path = "/workflows/check", tag = "workflows",
    request_body = Value,
    responses((status = 200, description = "The problems, if any", body = CheckedWorkflow))
)]
pub(super) async fn check_workflow(
    Viewer(api): Viewer,
    Body(workflow): Body<Box<RawValue>>,
) -> JsonResult<CheckedWorkflow> {
    Ok(Json(api.check_workflow(workflow.get()).await?))
}

/// Save a workflow. An identical definition has the same id.
#[utoipa::path(
    post, path = "/workflows", tag = "workflows",
    request_body = Workflow,
    responses((status = 200, description = "The saved workflow", body = WorkflowView))
)]
pub(super) async fn save_workflow(
    Operator(api): Operator,
    Body(workflow): Body<Box<RawValue>>,
) -> JsonResult<WorkflowView> {
    Ok(Json(redacted(api.save_workflow(workflow.get()).await?)))
}

/// List workflows, newest first.
#[utoipa::path(
    get, path = "/workflows", tag = "workflows",
    params(PageQuery),
    responses((status = 200, description = "A page of workflows", body = Page<WorkflowView>))
)]
pub(super) async fn list_workflows(
    Viewer(api): Viewer,
    Query(page): Query<PageQuery>,
) -> JsonResult<Page<WorkflowView>> {
    let mut page = api.workflows(&page).await?;
    page.items = page.items.into_iter().map(redacted).collect();
    Ok(Json(page))
}

/// Get a workflow as it was saved, with secrets redacted.
#[utoipa::path(
    get, path = "/workflows/{id}", tag = "workflows",
    params(("id" = i64, Path, description = "The workflow")),
    responses((status = 200, description = "The workflow", body = WorkflowView))
)]
pub(super) async fn show_workflow(
    Viewer(api): Viewer,
    PathWorkflowId(id): PathWorkflowId,
) -> JsonResult<WorkflowView> {
    Ok(Json(redacted(api.workflow(id).await?)))
}

/// Start an execution of a workflow. The response means that it is stored durably.
#[utoipa::path(
    post, path = "/workflows/{id}/executions", tag = "workflows",
    params(
        ("id" = i64, Path, description = "The workflow"),
        ("Idempotency-Key" = Option<Name>, Header, description = "The same as `key` in the body"),
    ),
    request_body = NewExecution,
    responses(
        (status = 201, description = "The execution was started", body = StartedExecution),
        (status = 200, description = "An execution with this key exists already", body = StartedExecution),
    )
)]
pub(super) async fn start_execution(
    Operator(api): Operator,
    PathWorkflowId(id): PathWorkflowId,
    key: IdempotencyKey,
    Body(mut new): Body<NewExecution>,
) -> Result<Response, Problem> {
    new.key = key.or_field("key", new.key)?;
    let mut started = api.start_execution(id, new).await?;
    started.execution = started.execution.without_secrets(Redactor::installed());
    let status = if started.existed { StatusCode::OK } else { StatusCode::CREATED };
    let location = [(LOCATION, format!("/api/v1/executions/{}", started.execution.id))];
    Ok((status, location, Json(started)).into_response())
}
