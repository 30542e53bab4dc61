//! How many tasks are where, and how well it goes (D15).

use axum::Json;
use steadfast_api::{Api, StatsView};

use crate::ask::Ask;
use crate::openapi::Problems;
use crate::problem::Answer;

/// What is pending, what is due in 24 hours, what failed, and the rate of success.
#[utoipa::path(
    get, path = "/stats", tag = "stats",
    responses((status = 200, description = "The figures", body = StatsView), Problems)
)]
pub(super) async fn show_stats(Ask(api): Ask) -> Answer<StatsView> {
    Ok(Json(api.stats().await?))
}
