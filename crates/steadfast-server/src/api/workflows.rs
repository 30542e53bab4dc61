//! Workflows: keeping them, and starting executions of them.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde_json::{Map, Value};
use steadfast::observe::Redactor;
use steadfast_api::{
    Api, CheckedWorkflow, NewExecution, Page, PageQuery, StartedExecution, WorkflowView,
};
use steadfast_store::MAX_PAYLOAD;

use crate::ask::{Ask, Operator};
use crate::body::{Body, Sent};
use crate::openapi::Problems;
use crate::path::Number;
use crate::problem::{Answer, Problem};
use crate::query::Query;

impl Sent for Map<String, Value> {
    const WHAT: &'static str = "a workflow";
    const LARGEST: usize = MAX_PAYLOAD;
}

impl Sent for NewExecution {
    const WHAT: &'static str = "an execution";
    const LARGEST: usize = MAX_PAYLOAD + (4 << 10);
}

/// As it is checked and kept.
fn text(workflow: Map<String, Value>) -> String {
    Value::Object(workflow).to_string()
}

/// Whether a workflow makes sense, and everything that is wrong with it.
#[utoipa::path(
    post, path = "/workflows/check", tag = "workflows",
    request_body = Object,
    responses((status = 200, description = "What is wrong, if anything is", body = CheckedWorkflow), Problems)
)]
pub(super) async fn check_workflow(
    Ask(api): Ask,
    Body(workflow): Body<Map<String, Value>>,
) -> Answer<CheckedWorkflow> {
    Ok(Json(api.check_workflow(&text(workflow)).await?))
}

/// Keeps a workflow. The same one has the same id.
#[utoipa::path(
    post, path = "/workflows", tag = "workflows",
    request_body = Object,
    responses((status = 200, description = "It is kept", body = WorkflowView), Problems)
)]
pub(super) async fn keep_workflow(
    Operator(api): Operator,
    Body(workflow): Body<Map<String, Value>>,
) -> Answer<WorkflowView> {
    Ok(Json(api.keep_workflow(&text(workflow)).await?))
}

/// The workflows, newest first.
#[utoipa::path(
    get, path = "/workflows", tag = "workflows",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Page<WorkflowView>), Problems)
)]
pub(super) async fn list_workflows(
    Ask(api): Ask,
    Query(page): Query<PageQuery>,
) -> Answer<Page<WorkflowView>> {
    Ok(Json(api.workflows(&page).await?))
}

/// One workflow, as it was written.
#[utoipa::path(
    get, path = "/workflows/{id}", tag = "workflows",
    params(("id" = i64, Path, description = "The workflow")),
    responses((status = 200, description = "The workflow", body = WorkflowView), Problems)
)]
pub(super) async fn show_workflow(Ask(api): Ask, Number(id): Number) -> Answer<WorkflowView> {
    Ok(Json(api.workflow(id).await?))
}

/// Starts an execution of a workflow. When it is answered, it is kept.
#[utoipa::path(
    post, path = "/workflows/{id}/executions", tag = "workflows",
    params(("id" = i64, Path, description = "The workflow")),
    request_body = NewExecution,
    responses(
        (status = 201, description = "It was started", body = StartedExecution),
        (status = 200, description = "It was there already, under its key", body = StartedExecution),
        Problems,
    )
)]
pub(super) async fn start_execution(
    Operator(api): Operator,
    Number(id): Number,
    Body(new): Body<NewExecution>,
) -> Result<Response, Problem> {
    let mut started = api.start_execution(id, new).await?;
    started.execution = started.execution.without_secrets(Redactor::installed());
    let status = if started.existed { StatusCode::OK } else { StatusCode::CREATED };
    let location = [(LOCATION, format!("/api/v1/executions/{}", started.execution.id))];
    Ok((status, location, Json(started)).into_response())
}
