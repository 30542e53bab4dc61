//! Task statistics (D15).

use axum::Json;
use axum::extract::State;
use steadfast_api::{ReadAction, StatsView};

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::Viewer;
use crate::cache::stats_view;
use crate::http::JsonResult;

/// Get the numbers of pending, soon due and failed tasks, and the success rate.
#[utoipa::path(
    get, path = "/stats", tag = "stats",
    responses((status = 200, description = "The statistics", body = StatsView), Problems)
)]
pub(super) async fn show_stats(
    Viewer(api): Viewer,
    State(app): State<App>,
) -> JsonResult<StatsView> {
    let counts = app.snapshots.counts().await?;
    api.record_read(ReadAction::Stats);
    Ok(Json(stats_view(&counts)))
}
