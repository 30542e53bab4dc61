//! How well it went, by policy and by subsystem (O1). Prometheus' own figures are at `/metrics`.

use axum::Json;
use axum::extract::State;
use steadfast::observe::MetricsSummary;
use steadfast_api::{Seen, Window, schemas};

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::extract::Ask;
use crate::http::problem::Answer;
use crate::http::query::Query;

/// The sessions that ended within a window of time, by policy and by subsystem.
#[utoipa::path(
    get, path = "/metrics/summary", tag = "stats",
    params(Window),
    responses((status = 200, description = "The figures", body = schemas::MetricsSummary), Problems)
)]
pub(super) async fn summarize(
    Ask(api): Ask,
    State(app): State<App>,
    Query(window): Query<Window>,
) -> Answer<MetricsSummary> {
    let figures = app.figures(window).await?;
    api.has_read(Seen::MetricsSummary);
    Ok(Json(figures.as_ref().clone()))
}
