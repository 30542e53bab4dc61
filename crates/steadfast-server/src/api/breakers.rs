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

macro_rules! breaker_command {
    ($(#[$doc:meta])* $name:ident, $path:literal, $command:ident) => {
        $(#[$doc])*
        #[utoipa::path(
            post, path = $path, tag = "breakers",
            params(("policy" = openapi::Name, Path, description = "The policy")),
            responses((status = 204, description = "Instances apply it within seconds"))
        )]
        pub(super) async fn $name(
            Operator(api): Operator,
            PathName(policy): PathName,
        ) -> Result<StatusCode, Problem> {
            api.override_breaker(&policy, BreakerCommand::$command).await?;
            Ok(StatusCode::NO_CONTENT)
        }
    };
}

breaker_command! {
    /// Open the breaker of a policy in every instance, for its usual open time.
    open_breaker, "/breakers/{policy}/open", Open
}
breaker_command! {
    /// Close the breaker of a policy in every instance.
    close_breaker, "/breakers/{policy}/close", Close
}
breaker_command! {
    /// Keep the breaker of a policy open in every instance until it is closed.
    isolate_breaker, "/breakers/{policy}/isolate", Isolate
}

/// List the retry budgets of all instances.
#[utoipa::path(
    get, path = "/budgets", tag = "breakers",
    responses(
        (status = 200, description = "The budgets by policy and instance", body = Vec<BudgetReport>),
    )
)]
pub(super) async fn list_budgets(Viewer(api): Viewer) -> JsonResult<Vec<BudgetReport>> {
    Ok(Json(api.budgets().await?))
}
