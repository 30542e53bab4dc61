//! Policies, their plans, and the classification of failures (J1).

use axum::Json;
use steadfast_api::{
    Api, Classification, ClassifyRequest, PlanQuery, PlanView, PoliciesView, openapi,
};

use crate::auth::Viewer;
use crate::http::{Body, JsonResult, PathName, Query, request_body};

request_body!(ClassifyRequest, "a classify request");

/// List the policies that tasks can use by name, with all their settings.
#[utoipa::path(
    get, path = "/policies", tag = "policies",
    responses((status = 200, description = "The policies", body = PoliciesView))
)]
pub(super) async fn list_policies(Viewer(api): Viewer) -> JsonResult<PoliciesView> {
    Ok(Json(api.policies().await?))
}

/// Get the delay of each attempt with its jitter range and the running total.
#[utoipa::path(
    get, path = "/policies/{id}/plan", tag = "policies",
    params(("id" = openapi::Name, Path, description = "The policy id, or a name mapped to it"), PlanQuery),
    responses((status = 200, description = "The plan", body = PlanView))
)]
pub(super) async fn plan_policy(
    Viewer(api): Viewer,
    PathName(policy): PathName,
    Query(query): Query<PlanQuery>,
) -> JsonResult<PlanView> {
    Ok(Json(api.plan(&policy, &query).await?))
}

/// Classify a failure, with the rule that matched.
#[utoipa::path(
    post, path = "/classify", tag = "policies",
    request_body = ClassifyRequest,
    responses((status = 200, description = "The classification", body = Classification))
)]
pub(super) async fn classify(
    Viewer(api): Viewer,
    Body(failure): Body<ClassifyRequest>,
) -> JsonResult<Classification> {
    Ok(Json(api.classify(failure).await?))
}
