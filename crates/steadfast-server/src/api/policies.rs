//! Policies: which there are, and what they will do.

use axum::Json;
use steadfast_api::{Api, PlanQuery, PlanView, PoliciesView, schemas};

use crate::api::openapi::Problems;
use crate::auth::extract::Ask;
use crate::http::path_parameters::Named;
use crate::http::problem::Answer;
use crate::http::query::Query;

/// The policies that tasks can have by name, with all their values.
#[utoipa::path(
    get, path = "/policies", tag = "policies",
    responses((status = 200, description = "All of them", body = PoliciesView), Problems)
)]
pub(super) async fn list_policies(Ask(api): Ask) -> Answer<PoliciesView> {
    Ok(Json(api.policies().await?))
}

/// Each attempt's delay, its band and the running total.
#[utoipa::path(
    get, path = "/policies/{id}/plan", tag = "policies",
    params(("id" = schemas::Name, Path, description = "The policy's id, or a name that leads to it"), PlanQuery),
    responses((status = 200, description = "The plan", body = PlanView), Problems)
)]
pub(super) async fn plan_policy(
    Ask(api): Ask,
    Named(policy): Named,
    Query(query): Query<PlanQuery>,
) -> Answer<PlanView> {
    Ok(Json(api.plan(&policy, &query).await?))
}
