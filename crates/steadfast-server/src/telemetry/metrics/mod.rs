//! Figures for machines: Prometheus asks at `/metrics`, and a collector is told over OTLP (O3).
//!
//! They come from two places. What happens in this process, a request or an attempt, is counted
//! where it happens, through the `metrics` facade, and kept by a recorder ([`recorder`]). How the
//! store stands is [seen](crate::cache::snapshots) when somebody wants to know, never more than once a
//! second, and a store that does not answer does not keep the figures waiting: then the last ones
//! are told, with their age. Whether it answers is a question of its own, because a store may
//! count for longer than a scrape waits.
//!
//! Queues and policies are named by users, so nobody knows how many there will be. What a label
//! can say is bounded ([`label_limit`]).

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

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::extract::Ask;
#[cfg(feature = "otlp")]
pub(crate) use catalog::buckets;
use gauges::Seen;
use recorder::Recorder;

/// What a server counts.
#[derive(Debug)]
pub(crate) struct Metrics {
    recorder: Recorder,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self { recorder: Recorder::installed() }
    }

    /// Keeps what is measured from piling up, for as long as it runs.
    pub(crate) fn keep_up(&self) -> impl Future<Output = ()> + use<> {
        self.recorder.clone().keep_up()
    }
}

/// The text format of Prometheus, in the version that all of them read.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(metrics))
}

/// Figures of this instance and of its store, for Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "metrics",
    responses((status = 200, description = "The figures", body = String, content_type = "text/plain"), Problems)
)]
async fn metrics(_: Ask, State(app): State<App>) -> Response {
    let seen = Seen::of(&app).await;
    let mut text = app.metrics().recorder.render();
    prometheus_text::write(&mut text, &seen);
    ([(CONTENT_TYPE, TEXT)], text).into_response()
}
