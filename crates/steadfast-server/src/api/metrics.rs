//! How well it went, by policy and by subsystem (O1). Prometheus' own figures are at `/metrics`.

use axum::Json;
use steadfast::observe::Figures;
use steadfast_api::{Api, Window, schemas};

use crate::ask::Ask;
use crate::openapi::Problems;
use crate::problem::Answer;
use crate::query::Query;

/// The sessions that ended within a window of time, by policy and by subsystem.
#[utoipa::path(
    get, path = "/metrics/summary", tag = "stats",
    params(Window),
    responses((status = 200, description = "The figures", body = schemas::Figures), Problems)
)]
pub(super) async fn summarize(Ask(api): Ask, Query(window): Query<Window>) -> Answer<Figures> {
    Ok(Json(api.figures(window).await?))
}
