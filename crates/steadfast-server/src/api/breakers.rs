//! Breakers of all instances and their control (G1), and retry budgets (G3).

use axum::Json;
use http::StatusCode;
use steadfast_api::{Api, BreakerView, openapi};
use steadfast_store::{BreakerCommand, BudgetReport};

use crate::auth::{Operator, Viewer};
use crate::http::{JsonResult, PathName, Problem};

/// List the breakers of all instances.
#[utoipa::path(
    get, path = "/breakers", tag = "breakers",
    responses((status = 200, description = "The breakers", body = Vec<BreakerView>))
)]
pub(super) async fn list_breakers(Viewer(api): Viewer) -> JsonResult<Vec<BreakerView>> {
    Ok(Json(api.breakers().await?))
}

/// Open the breaker of a policy in every instance, for its usual open time.
#[utoipa::path(
    post, path = "/breakers/{policy}/open", tag = "breakers",
    params(("policy" = openapi::Name, Path, description = "The policy")),
    responses((status = 204, description = "Instances apply it within seconds"))
)]
pub(super) async fn open_breaker(
    Operator(api): Operator,
    PathName(policy): PathName,
) -> Result<StatusCode, Problem> {
    api.override_breaker(&policy, BreakerCommand::Open).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Close the breaker of a policy in every instance.
#[utoipa::path(
    post, path = "/breakers/{policy}/close", tag = "breakers",
    params(("policy" = openapi::Name, Path, description = "The policy")),
    responses((status = 204, description = "Instances apply it within seconds"))
)]
pub(super) async fn close_breaker(
    Operator(api): Operator,
    PathName(policy): PathName,
) -> Result<StatusCode, Problem> {
    api.override_breaker(&policy, BreakerCommand::Close).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Keep the breaker of a policy open in every instance until it is closed.
#[utoipa::path(
    post, path = "/breakers/{policy}/isolate", tag = "breakers",
    params(("policy" = openapi::Name, Path, description = "The policy")),
    responses((status = 204, description = "Instances apply it within seconds"))
)]
pub(super) async fn isolate_breaker(
    Operator(api): Operator,
    PathName(policy): PathName,
) -> Result<StatusCode, Problem> {
    api.override_breaker(&policy, BreakerCommand::Isolate).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the retry budgets of all instances.
#[utoipa::path(
    get, path = "/budgets", tag = "breakers",
    responses(
        (status = 200, description = "The budgets by policy and instance", body = Vec<openapi::BudgetReport>),
    )
)]
pub(super) async fn list_budgets(Viewer(api): Viewer) -> JsonResult<Vec<BudgetReport>> {
    Ok(Json(api.budgets().await?))
}
