//! The metrics summary by policy and subsystem (O1). Prometheus metrics are at `/metrics`.

use axum::Json;
use axum::extract::State;
use steadfast::observe::MetricsSummary;
use steadfast_api::{ReadAction, Window, openapi};

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::Viewer;
use crate::http::{JsonResult, Query};

/// Summarize the sessions that ended within a time window, by policy and subsystem.
#[utoipa::path(
    get, path = "/metrics/summary", tag = "stats",
    params(Window),
    responses((status = 200, description = "The summary", body = openapi::MetricsSummary), Problems)
)]
pub(super) async fn summarize(
    Viewer(api): Viewer,
    State(app): State<App>,
    Query(window): Query<Window>,
) -> JsonResult<MetricsSummary> {
    let summary = app.snapshots.metrics(window).await?;
    api.record_read(ReadAction::MetricsSummary);
    Ok(Json(summary.as_ref().clone()))
}
