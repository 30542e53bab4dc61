//! Policies and their plans.

use axum::Json;
use steadfast_api::{Api, PlanQuery, PlanView, PoliciesView, openapi};

use crate::api::openapi::Problems;
use crate::auth::Viewer;
use crate::http::{JsonResult, PathName, Query};

/// List the policies that tasks can use by name, with all their settings.
#[utoipa::path(
    get, path = "/policies", tag = "policies",
    responses((status = 200, description = "The policies", body = PoliciesView), Problems)
)]
pub(super) async fn list_policies(Viewer(api): Viewer) -> JsonResult<PoliciesView> {
    Ok(Json(api.policies().await?))
}

/// Get the delay of each attempt with its jitter range and the running total.
#[utoipa::path(
    get, path = "/policies/{id}/plan", tag = "policies",
    params(("id" = openapi::Name, Path, description = "The policy id, or a name mapped to it"), PlanQuery),
    responses((status = 200, description = "The plan", body = PlanView), Problems)
)]
pub(super) async fn plan_policy(
    Viewer(api): Viewer,
    PathName(policy): PathName,
    Query(query): Query<PlanQuery>,
) -> JsonResult<PlanView> {
    Ok(Json(api.plan(&policy, &query).await?))
}
