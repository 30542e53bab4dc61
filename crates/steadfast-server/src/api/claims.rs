//! Workers in any language (D19): claim, heartbeat, complete, fail.

use axum::Json;
use http::StatusCode;
use steadfast_api::{
    Api, AttemptFailure, Claims, Completion, FailResponse, HeartbeatRequest, NewClaim, schemas,
};
use steadfast_store::MAX_PAYLOAD;

use crate::api::openapi::Problems;
use crate::auth::extract::Operator;
use crate::http::body::{Body, Sent};
use crate::http::path_parameters::Id;
use crate::http::problem::{Answer, Problem};

impl Sent for NewClaim {
    const WHAT: &'static str = "a claim";
}

impl Sent for HeartbeatRequest {
    const WHAT: &'static str = "a sign of life";
}

impl Sent for Completion {
    const WHAT: &'static str = "a completion";
    const LARGEST: usize = MAX_PAYLOAD + (1 << 10);
}

impl Sent for AttemptFailure {
    const WHAT: &'static str = "a failure";
}

/// Takes due tasks for a worker, under one lease.
#[utoipa::path(
    post, path = "/claims", tag = "claims",
    request_body = NewClaim,
    responses((status = 200, description = "The tasks, none if none is due", body = Claims), Problems)
)]
pub(super) async fn claim(Operator(api): Operator, Body(wanted): Body<NewClaim>) -> Answer<Claims> {
    Ok(Json(api.claim(&wanted).await?))
}

/// Keeps the lease of a claimed task alive. 409: it is lost, and the work on it should stop.
#[utoipa::path(
    post, path = "/claims/{id}/heartbeat", tag = "claims",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    request_body = HeartbeatRequest,
    responses((status = 204, description = "It lives on"), Problems)
)]
pub(super) async fn heartbeat(
    Operator(api): Operator,
    Id(id): Id,
    Body(sign): Body<HeartbeatRequest>,
) -> Result<StatusCode, Problem> {
    api.heartbeat(id, sign).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A claimed task is done. 409: it is somebody else's by now, and nothing was written.
#[utoipa::path(
    post, path = "/claims/{id}/complete", tag = "claims",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    request_body = Completion,
    responses((status = 204, description = "It is written down"), Problems)
)]
pub(super) async fn complete(
    Operator(api): Operator,
    Id(id): Id,
    Body(done): Body<Completion>,
) -> Result<StatusCode, Problem> {
    api.complete(id, done).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// An attempt at a claimed task failed; its policy says what follows. 409: it is somebody
/// else's by now, and nothing was written.
#[utoipa::path(
    post, path = "/claims/{id}/fail", tag = "claims",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    request_body = AttemptFailure,
    responses((status = 200, description = "What follows", body = FailResponse), Problems)
)]
pub(super) async fn fail(
    Operator(api): Operator,
    Id(id): Id,
    Body(failure): Body<AttemptFailure>,
) -> Answer<FailResponse> {
    Ok(Json(api.fail(id, failure).await?))
}
