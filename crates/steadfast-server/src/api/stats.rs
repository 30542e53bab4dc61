//! How many tasks are where, and how well it goes (D15).

use axum::Json;
use axum::extract::State;
use steadfast_api::{Seen, StatsView};

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::extract::Ask;
use crate::cache::snapshots;
use crate::http::problem::Answer;

/// What is pending, what is due in 24 hours, what failed, and the rate of success.
#[utoipa::path(
    get, path = "/stats", tag = "stats",
    responses((status = 200, description = "The figures", body = StatsView), Problems)
)]
pub(super) async fn show_stats(Ask(api): Ask, State(app): State<App>) -> Answer<StatsView> {
    let counts = app.counts().await?;
    api.has_read(Seen::Stats);
    Ok(Json(snapshots::view(&counts)))
}
