//! Claims of workers over HTTP (D19): claim, heartbeat, complete, fail.

use axum::Json;
use http::StatusCode;
use steadfast_api::{
    Api, AttemptFailure, Claims, Completion, FailResponse, HeartbeatRequest, NewClaim,
};
use steadfast_store::{MAX_PAYLOAD, TaskId};

use crate::auth::Operator;
use crate::http::{Body, JsonResult, PathTaskId, Problem, request_body};

request_body!(NewClaim, "a claim");
request_body!(HeartbeatRequest, "a heartbeat");
request_body!(Completion, "a completion", MAX_PAYLOAD + (1 << 10));
request_body!(AttemptFailure, "a failure");

/// Claim due tasks for a worker, with one lease.
#[utoipa::path(
    post, path = "/claims", tag = "claims",
    request_body = NewClaim,
    responses((status = 200, description = "The claimed tasks; empty if none is due", body = Claims))
)]
pub(super) async fn claim(
    Operator(api): Operator,
    Body(request): Body<NewClaim>,
) -> JsonResult<Claims> {
    Ok(Json(api.claim(&request).await?))
}

/// Extend the lease of a claimed task. 409: the lease is lost, and the worker should stop the attempt.
#[utoipa::path(
    post, path = "/claims/{id}/heartbeat", tag = "claims",
    params(("id" = TaskId, Path, description = "The task")),
    request_body = HeartbeatRequest,
    responses((status = 204, description = "The lease is extended"))
)]
pub(super) async fn heartbeat(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    Body(heartbeat): Body<HeartbeatRequest>,
) -> Result<StatusCode, Problem> {
    api.heartbeat(id, heartbeat).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Complete a claimed task. 409: the lease is lost, and nothing was written.
#[utoipa::path(
    post, path = "/claims/{id}/complete", tag = "claims",
    params(("id" = TaskId, Path, description = "The task")),
    request_body = Completion,
    responses((status = 204, description = "The task is completed"))
)]
pub(super) async fn complete(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    Body(completion): Body<Completion>,
) -> Result<StatusCode, Problem> {
    api.complete(id, completion).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Fail an attempt of a claimed task; its policy decides what follows. 409: the lease is lost, and nothing
/// was written.
#[utoipa::path(
    post, path = "/claims/{id}/fail", tag = "claims",
    params(("id" = TaskId, Path, description = "The task")),
    request_body = AttemptFailure,
    responses((status = 200, description = "The decision", body = FailResponse))
)]
pub(super) async fn fail(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    Body(failure): Body<AttemptFailure>,
) -> JsonResult<FailResponse> {
    Ok(Json(api.fail(id, failure).await?))
}
