//! Workflows: keeping them, and starting executions of them.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde_json::value::RawValue;
use steadfast::observe::Redactor;
use steadfast_api::schemas::{Name, Workflow};
use steadfast_api::{
    Api, CheckedWorkflow, NewExecution, Page, PageQuery, StartedExecution, WorkflowView,
};
use steadfast_store::MAX_PAYLOAD;

use crate::api::openapi::Problems;
use crate::auth::extract::{Ask, Operator};
use crate::http::body::{Body, Sent};
use crate::http::idempotency_key::IdempotencyKey;
use crate::http::path_parameters::Number;
use crate::http::problem::{Answer, Problem};
use crate::http::query::Query;

/// A workflow is kept as it is written, so that what is written twice is noticed.
impl Sent for Box<RawValue> {
    const WHAT: &'static str = "a workflow";
    const LARGEST: usize = MAX_PAYLOAD;
}

impl Sent for NewExecution {
    const WHAT: &'static str = "an execution";
    const LARGEST: usize = MAX_PAYLOAD + (4 << 10);
}

fn masked(workflow: WorkflowView) -> WorkflowView {
    workflow.without_secrets(Redactor::installed())
}

/// Whether a workflow makes sense, and everything that is wrong with it. Any JSON can be asked about.
#[utoipa::path(
    post, path = "/workflows/check", tag = "workflows",
    request_body = Value,
    responses((status = 200, description = "What is wrong, if anything is", body = CheckedWorkflow), Problems)
)]
pub(super) async fn check_workflow(
    Ask(api): Ask,
    Body(workflow): Body<Box<RawValue>>,
) -> Answer<CheckedWorkflow> {
    Ok(Json(api.check_workflow(workflow.get()).await?))
}

/// Keeps a workflow. The same one has the same id.
#[utoipa::path(
    post, path = "/workflows", tag = "workflows",
    request_body = Workflow,
    responses((status = 200, description = "It is kept", body = WorkflowView), Problems)
)]
pub(super) async fn keep_workflow(
    Operator(api): Operator,
    Body(workflow): Body<Box<RawValue>>,
) -> Answer<WorkflowView> {
    Ok(Json(masked(api.keep_workflow(workflow.get()).await?)))
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
    let mut page = api.workflows(&page).await?;
    page.items = page.items.into_iter().map(masked).collect();
    Ok(Json(page))
}

/// One workflow, as it was written but for what looks like a secret.
#[utoipa::path(
    get, path = "/workflows/{id}", tag = "workflows",
    params(("id" = i64, Path, description = "The workflow")),
    responses((status = 200, description = "The workflow", body = WorkflowView), Problems)
)]
pub(super) async fn show_workflow(Ask(api): Ask, Number(id): Number) -> Answer<WorkflowView> {
    Ok(Json(masked(api.workflow(id).await?)))
}

/// Starts an execution of a workflow. When it is answered, it is kept.
#[utoipa::path(
    post, path = "/workflows/{id}/executions", tag = "workflows",
    params(
        ("id" = i64, Path, description = "The workflow"),
        ("Idempotency-Key" = Option<Name>, Header, description = "The same as `key` in the body"),
    ),
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
    key: IdempotencyKey,
    Body(mut new): Body<NewExecution>,
) -> Result<Response, Problem> {
    new.key = key.or("key", new.key)?;
    let mut started = api.start_execution(id, new).await?;
    started.execution = started.execution.without_secrets(Redactor::installed());
    let status = if started.existed { StatusCode::OK } else { StatusCode::CREATED };
    let location = [(LOCATION, format!("/api/v1/executions/{}", started.execution.id))];
    Ok((status, location, Json(started)).into_response())
}
