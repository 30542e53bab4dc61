//! Breakers: how they stand in every instance, and what is wanted of them (G1); and budgets, of which
//! nothing can be wanted (G3).

use axum::Json;
use http::StatusCode;
use steadfast_api::{Api, BreakerView, schemas};
use steadfast_store::{BreakerCommand, BudgetReport};

use crate::api::openapi::Problems;
use crate::auth::extract::{Ask, Operator};
use crate::http::path_parameters::Named;
use crate::http::problem::{Answer, Problem};

/// The breakers of all instances.
#[utoipa::path(
    get, path = "/breakers", tag = "breakers",
    responses((status = 200, description = "All of them", body = Vec<BreakerView>), Problems)
)]
pub(super) async fn list_breakers(Ask(api): Ask) -> Answer<Vec<BreakerView>> {
    Ok(Json(api.breakers().await?))
}

/// Has a policy's breaker reject calls, in every instance, for as long as it would by itself.
#[utoipa::path(
    post, path = "/breakers/{policy}/open", tag = "breakers",
    params(("policy" = schemas::Name, Path, description = "The policy")),
    responses((status = 204, description = "Instances obey within seconds"), Problems)
)]
pub(super) async fn open_breaker(
    Operator(api): Operator,
    Named(policy): Named,
) -> Result<StatusCode, Problem> {
    api.order_breaker(&policy, BreakerCommand::Open).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Has a policy's breaker let calls through again, in every instance.
#[utoipa::path(
    post, path = "/breakers/{policy}/close", tag = "breakers",
    params(("policy" = schemas::Name, Path, description = "The policy")),
    responses((status = 204, description = "Instances obey within seconds"), Problems)
)]
pub(super) async fn close_breaker(
    Operator(api): Operator,
    Named(policy): Named,
) -> Result<StatusCode, Problem> {
    api.order_breaker(&policy, BreakerCommand::Close).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Has a policy's breaker reject calls, in every instance, until it is closed.
#[utoipa::path(
    post, path = "/breakers/{policy}/isolate", tag = "breakers",
    params(("policy" = schemas::Name, Path, description = "The policy")),
    responses((status = 204, description = "Instances obey within seconds"), Problems)
)]
pub(super) async fn isolate_breaker(
    Operator(api): Operator,
    Named(policy): Named,
) -> Result<StatusCode, Problem> {
    api.order_breaker(&policy, BreakerCommand::Isolate).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The budgets of all instances.
#[utoipa::path(
    get, path = "/budgets", tag = "breakers",
    responses(
        (status = 200, description = "All of them, by policy and instance", body = Vec<schemas::BudgetReport>),
        Problems
    )
)]
pub(super) async fn list_budgets(Ask(api): Ask) -> Answer<Vec<BudgetReport>> {
    Ok(Json(api.budgets().await?))
}
