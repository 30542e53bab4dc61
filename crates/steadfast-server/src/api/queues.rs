//! Queues: counts, pause and resume.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use steadfast_api::{Api, QueueInfo, ReadAction, openapi};
use utoipa::IntoParams;

use crate::app::App;
use crate::auth::{Operator, Viewer};
use crate::http::{JsonResult, PathName, Problem, Query};

/// List all queues.
#[utoipa::path(
    get, path = "/queues", tag = "queues",
    responses((status = 200, description = "The queues", body = Vec<QueueInfo>))
)]
pub(super) async fn list_queues(
    Viewer(api): Viewer,
    State(app): State<App>,
) -> JsonResult<Vec<QueueInfo>> {
    let queues = app.snapshots.queues().await?;
    api.record_read(ReadAction::Stats);
    Ok(Json(queues.to_vec()))
}

/// Whether the queue may be unknown.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PauseQuery {
    /// Pause the queue even if no task was ever submitted to it; otherwise that is a 404.
    new: bool,
}

/// Pause a queue: its tasks are not claimed.
#[utoipa::path(
    post, path = "/queues/{queue}/pause", tag = "queues",
    params(("queue" = openapi::Name, Path, description = "The queue"), PauseQuery),
    responses((status = 204, description = "The queue is paused"))
)]
pub(super) async fn pause_queue(
    Operator(api): Operator,
    PathName(queue): PathName,
    Query(PauseQuery { new }): Query<PauseQuery>,
) -> Result<StatusCode, Problem> {
    api.pause(&queue, new).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Resume a queue.
#[utoipa::path(
    post, path = "/queues/{queue}/resume", tag = "queues",
    params(("queue" = openapi::Name, Path, description = "The queue")),
    responses((status = 204, description = "The queue is resumed"))
)]
pub(super) async fn resume_queue(
    Operator(api): Operator,
    PathName(queue): PathName,
) -> Result<StatusCode, Problem> {
    api.resume(&queue).await?;
    Ok(StatusCode::NO_CONTENT)
}
