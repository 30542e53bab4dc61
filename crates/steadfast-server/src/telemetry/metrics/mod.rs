//! Prometheus metrics at `/metrics`, also exported over OTLP (O3).
//!
//! There are two kinds. Events in this process, such as requests and attempts, are counted through the
//! `metrics` facade and kept by a recorder ([`recorder`]). Gauges of the store come from cached
//! [snapshots](crate::cache::snapshots): a scrape never waits for a store that does not respond, and then
//! gets the last values with their age. `steadfast_store_up` is a separate check, because counting may
//! take longer than a scrape waits.
//!
//! Users name queues and policies, so the number of label values is limited ([`label_limit`]).

mod catalog;
pub(crate) mod gauges;
mod label_limit;
mod prometheus_text;
mod recorder;
pub(crate) mod requests;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Viewer;
#[cfg(feature = "otlp")]
pub(crate) use catalog::buckets;
use gauges::GaugeSnapshot;
pub(crate) use recorder::Recorder;

/// The Prometheus text format.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(metrics))
}

/// Metrics of this instance and its store, for Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "metrics",
    responses((status = 200, description = "The metrics", body = String, content_type = "text/plain"))
)]
async fn metrics(_: Viewer, State(app): State<App>) -> Response {
    let snapshot = GaugeSnapshot::take(&app).await;
    let mut text = app.metrics.render();
    prometheus_text::write(&mut text, &snapshot);
    ([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response()
}
