//! Task statistics (D15), the metrics summary by policy and subsystem (O1), and the store's time, which
//! all timestamps refer to (D4). Prometheus metrics are at `/metrics`.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use steadfast::observe::MetricsSummary;
use steadfast_api::{Api, ReadAction, StatsView, Window};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::Viewer;
use crate::cache::stats_view;
use crate::http::{JsonResult, Query};

/// Get the numbers of pending, soon due and failed tasks, and the success rate.
#[utoipa::path(
    get, path = "/stats", tag = "stats",
    responses((status = 200, description = "The statistics", body = StatsView))
)]
pub(super) async fn show_stats(
    Viewer(api): Viewer,
    State(app): State<App>,
) -> JsonResult<StatsView> {
    let counts = app.snapshots.counts().await?;
    api.record_read(ReadAction::Stats);
    Ok(Json(stats_view(&counts)))
}

/// Summarize the sessions that ended within a time window, by policy and subsystem.
#[utoipa::path(
    get, path = "/metrics/summary", tag = "stats",
    params(Window),
    responses((status = 200, description = "The summary", body = MetricsSummary))
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

/// The store's time.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StoreTime {
    /// The current time of the store's clock.
    #[schema(value_type = String, format = "date-time")]
    now: Timestamp,
}

/// Get the store's time, which may differ from local clocks.
#[utoipa::path(
    get, path = "/time", tag = "stats",
    responses((status = 200, description = "The time", body = StoreTime))
)]
pub(super) async fn get_time(Viewer(api): Viewer) -> JsonResult<StoreTime> {
    Ok(Json(StoreTime { now: api.now().await? }))
}
