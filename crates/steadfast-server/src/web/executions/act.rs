//! What is done to one execution. Each ends on the page that shows what became of it.

use axum::response::Redirect;
use steadfast_api::Api;
use steadfast_store::ExecutionId;

use crate::extract::Operator;
use crate::path_parameters::Execution;
use crate::problem::Problem;
use crate::web::link;

fn at(id: ExecutionId) -> Redirect {
    Redirect::to(&link::execution(id))
}

/// Calls it off.
pub(super) async fn cancel(
    Operator(api): Operator,
    Execution(id): Execution,
) -> Result<Redirect, Problem> {
    Ok(at(api.cancel_execution(id).await?.id))
}

/// Has it go on.
pub(super) async fn resume(
    Operator(api): Operator,
    Execution(id): Execution,
) -> Result<Redirect, Problem> {
    Ok(at(api.resume_execution(id).await?.id))
}

/// Starts another that follows it.
pub(super) async fn retry(
    Operator(api): Operator,
    Execution(id): Execution,
) -> Result<Redirect, Problem> {
    Ok(at(api.retry_execution(id).await?.id))
}
