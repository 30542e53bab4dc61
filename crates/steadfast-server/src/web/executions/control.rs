//! Operator actions on one execution. Each redirects to the execution.

use axum::response::Redirect;
use steadfast_api::Api;
use steadfast_store::ExecutionId;

use crate::auth::Operator;
use crate::http::{PathExecutionId, Problem};
use crate::web::link;

fn redirect(id: ExecutionId) -> Redirect {
    Redirect::to(&link::execution(id))
}

pub(super) async fn cancel(
    Operator(api): Operator,
    PathExecutionId(id): PathExecutionId,
) -> Result<Redirect, Problem> {
    Ok(redirect(api.cancel_execution(id).await?.id))
}

pub(super) async fn resume(
    Operator(api): Operator,
    PathExecutionId(id): PathExecutionId,
) -> Result<Redirect, Problem> {
    Ok(redirect(api.resume_execution(id).await?.id))
}

/// Starts a new execution with the same trigger.
pub(super) async fn retry(
    Operator(api): Operator,
    PathExecutionId(id): PathExecutionId,
) -> Result<Redirect, Problem> {
    Ok(redirect(api.retry_execution(id).await?.id))
}
