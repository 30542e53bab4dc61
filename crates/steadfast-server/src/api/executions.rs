//! Workflow executions: reading and control.
//!
//! Secrets in triggers and node results are redacted (O5).

use axum::Json;
use steadfast::observe::Redactor;
use steadfast_api::{Api, Execution, ExecutionFilter, Page, PageQuery};

use crate::auth::{Operator, Viewer};
use crate::http::{JsonResult, ListQuery, PathExecutionId};
use crate::limits::ReadPermit;

fn redacted(execution: Execution) -> Json<Execution> {
    Json(execution.without_secrets(Redactor::installed()))
}

/// List executions without their nodes, newest first.
#[utoipa::path(
    get, path = "/executions", tag = "executions",
    params(ExecutionFilter, PageQuery),
    responses((status = 200, description = "A page of executions", body = Page<Execution>))
)]
pub(super) async fn list_executions(
    Viewer(api): Viewer,
    ListQuery { filter, page }: ListQuery<ExecutionFilter>,
    _permit: ReadPermit,
) -> JsonResult<Page<Execution>> {
    Ok(Json(api.executions(&filter, &page).await?))
}

/// Get an execution with its nodes.
#[utoipa::path(
    get, path = "/executions/{id}", tag = "executions",
    params(("id" = String, Path, description = "The execution", format = "uuid")),
    responses((status = 200, description = "The execution", body = Execution))
)]
pub(super) async fn show_execution(
    Viewer(api): Viewer,
    PathExecutionId(id): PathExecutionId,
) -> JsonResult<Execution> {
    Ok(redacted(api.execution(id).await?))
}

/// List the chain of an execution: the executions that it retries, itself, and its retries, oldest first.
#[utoipa::path(
    get, path = "/executions/{id}/chain", tag = "executions",
    params(("id" = String, Path, description = "Any execution of the chain", format = "uuid")),
    responses((status = 200, description = "The chain", body = Vec<Execution>))
)]
pub(super) async fn show_chain(
    Viewer(api): Viewer,
    PathExecutionId(id): PathExecutionId,
) -> JsonResult<Vec<Execution>> {
    Ok(Json(api.execution_chain(id).await?))
}

/// Cancel an execution and its running nodes.
#[utoipa::path(
    post, path = "/executions/{id}/cancel", tag = "executions",
    params(("id" = String, Path, description = "The execution", format = "uuid")),
    responses((status = 200, description = "The cancelled execution", body = Execution))
)]
pub(super) async fn cancel_execution(
    Operator(api): Operator,
    PathExecutionId(id): PathExecutionId,
) -> JsonResult<Execution> {
    Ok(redacted(api.cancel_execution(id).await?))
}

/// Resume a failed or cancelled execution from the nodes that did not complete.
#[utoipa::path(
    post, path = "/executions/{id}/resume", tag = "executions",
    params(("id" = String, Path, description = "The execution", format = "uuid")),
    responses((status = 200, description = "The resumed execution", body = Execution))
)]
pub(super) async fn resume_execution(
    Operator(api): Operator,
    PathExecutionId(id): PathExecutionId,
) -> JsonResult<Execution> {
    Ok(redacted(api.resume_execution(id).await?))
}

/// Retry a failed or cancelled execution as a new one, with the same trigger.
#[utoipa::path(
    post, path = "/executions/{id}/retry", tag = "executions",
    params(("id" = String, Path, description = "The execution to retry", format = "uuid")),
    responses((status = 200, description = "The new execution", body = Execution))
)]
pub(super) async fn retry_execution(
    Operator(api): Operator,
    PathExecutionId(id): PathExecutionId,
) -> JsonResult<Execution> {
    Ok(redacted(api.retry_execution(id).await?))
}
