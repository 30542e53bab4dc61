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
mod recorder;
pub(crate) mod requests;

use std::fmt::Write;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use metrics_exporter_prometheus::formatting::{
    sanitize_label_value, write_help_line, write_type_line,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::auth::Viewer;
#[cfg(feature = "otlp")]
pub(crate) use catalog::buckets;
use gauges::{GAUGES, GaugeSnapshot, Series};
pub(crate) use recorder::Recorder;

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
    write_gauges(&mut text, &snapshot);
    ([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response()
}

/// Appends all gauges in the Prometheus text format.
fn write_gauges(text: &mut String, snapshot: &GaugeSnapshot) {
    for gauge in GAUGES {
        let series = (gauge.series)(snapshot);
        if series.is_empty() {
            continue;
        }
        write_help_line(text, gauge.name, None, None, gauge.help);
        write_type_line(text, gauge.name, None, None, "gauge");
        series.iter().for_each(|series| line(text, gauge.name, series));
    }
}

fn line(text: &mut String, name: &str, Series { labels, value }: &Series) {
    let label =
        |(name, value): &(&str, String)| format!("{name}=\"{}\"", sanitize_label_value(value));
    let labels = labels.iter().map(label).collect::<Vec<_>>().join(",");
    let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name}{labels} {value}");
}
