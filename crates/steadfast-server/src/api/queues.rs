//! Queues: what waits in them, and whether anything is taken from them.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use steadfast_api::{Api, QueueView, Seen, schemas};
use utoipa::IntoParams;

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::extract::{Ask, Operator};
use crate::http::path_parameters::Named;
use crate::http::problem::{Answer, Problem};
use crate::http::query::Query;

/// Every queue.
#[utoipa::path(
    get, path = "/queues", tag = "queues",
    responses((status = 200, description = "All of them", body = Vec<QueueView>), Problems)
)]
pub(super) async fn list_queues(Ask(api): Ask, State(app): State<App>) -> Answer<Vec<QueueView>> {
    let queues = app.queues().await?;
    api.has_read(Seen::Stats);
    Ok(Json(queues.iter().cloned().map(QueueView::from).collect()))
}

/// Whether a queue may be one that nobody knows.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Ahead {
    /// Also if no task was ever submitted to it; otherwise that is a 404.
    new: bool,
}

/// Takes nothing more from a queue.
#[utoipa::path(
    post, path = "/queues/{queue}/pause", tag = "queues",
    params(("queue" = schemas::Name, Path, description = "The queue"), Ahead),
    responses((status = 204, description = "It is paused"), Problems)
)]
pub(super) async fn pause_queue(
    Operator(api): Operator,
    Named(queue): Named,
    Query(Ahead { new }): Query<Ahead>,
) -> Result<StatusCode, Problem> {
    api.pause(&queue, new).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes from a queue again.
#[utoipa::path(
    post, path = "/queues/{queue}/resume", tag = "queues",
    params(("queue" = schemas::Name, Path, description = "The queue")),
    responses((status = 204, description = "It is not paused any more"), Problems)
)]
pub(super) async fn resume_queue(
    Operator(api): Operator,
    Named(queue): Named,
) -> Result<StatusCode, Problem> {
    api.resume(&queue).await?;
    Ok(StatusCode::NO_CONTENT)
}
