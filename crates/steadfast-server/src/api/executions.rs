//! Executions of workflows: looking at them, steering them.
//!
//! What they were started with and what their nodes answered is shown without what looks like a
//! secret (O5).

use axum::Json;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ExecutionFilter, ExecutionView, Page, PageQuery};

use crate::api::openapi::Problems;
use crate::auth::extract::{Ask, Operator};
use crate::http::path_parameters::Execution;
use crate::http::problem::Answer;
use crate::http::query::Listed;
use crate::limits::read_permits::Turn;

fn masked(execution: ExecutionView) -> Json<ExecutionView> {
    Json(execution.without_secrets(Redactor::installed()))
}

/// Some executions without their nodes, newest first.
#[utoipa::path(
    get, path = "/executions", tag = "executions",
    params(ExecutionFilter, PageQuery),
    responses((status = 200, description = "A page of them", body = Page<ExecutionView>), Problems)
)]
pub(super) async fn list_executions(
    Ask(api): Ask,
    Listed { filter, page }: Listed<ExecutionFilter>,
    _turn: Turn,
) -> Answer<Page<ExecutionView>> {
    Ok(Json(api.executions(&filter, &page).await?))
}

/// One execution with its nodes.
#[utoipa::path(
    get, path = "/executions/{id}", tag = "executions",
    params(("id" = String, Path, description = "The execution", format = "uuid")),
    responses((status = 200, description = "The execution", body = ExecutionView), Problems)
)]
pub(super) async fn show_execution(
    Ask(api): Ask,
    Execution(id): Execution,
) -> Answer<ExecutionView> {
    Ok(masked(api.execution(id).await?))
}

/// The executions that this one follows and that follow it, oldest first.
#[utoipa::path(
    get, path = "/executions/{id}/chain", tag = "executions",
    params(("id" = String, Path, description = "Any of them", format = "uuid")),
    responses((status = 200, description = "All of them", body = Vec<ExecutionView>), Problems)
)]
pub(super) async fn show_chain(
    Ask(api): Ask,
    Execution(id): Execution,
) -> Answer<Vec<ExecutionView>> {
    Ok(Json(api.execution_chain(id).await?))
}

/// Calls an execution off, with what is under way of it.
#[utoipa::path(
    post, path = "/executions/{id}/cancel", tag = "executions",
    params(("id" = String, Path, description = "The execution", format = "uuid")),
    responses((status = 200, description = "It is cancelled", body = ExecutionView), Problems)
)]
pub(super) async fn cancel_execution(
    Operator(api): Operator,
    Execution(id): Execution,
) -> Answer<ExecutionView> {
    Ok(masked(api.cancel_execution(id).await?))
}

/// Has an execution that failed or was cancelled go on from the nodes that did not complete.
#[utoipa::path(
    post, path = "/executions/{id}/resume", tag = "executions",
    params(("id" = String, Path, description = "The execution", format = "uuid")),
    responses((status = 200, description = "It goes on", body = ExecutionView), Problems)
)]
pub(super) async fn resume_execution(
    Operator(api): Operator,
    Execution(id): Execution,
) -> Answer<ExecutionView> {
    Ok(masked(api.resume_execution(id).await?))
}

/// Starts an execution that follows one that failed or was cancelled, from its saved trigger.
#[utoipa::path(
    post, path = "/executions/{id}/retry", tag = "executions",
    params(("id" = String, Path, description = "The one that it follows", format = "uuid")),
    responses((status = 200, description = "The new one", body = ExecutionView), Problems)
)]
pub(super) async fn retry_execution(
    Operator(api): Operator,
    Execution(id): Execution,
) -> Answer<ExecutionView> {
    Ok(masked(api.retry_execution(id).await?))
}
