//! Workers and their load (H2).

use axum::Json;
use steadfast_api::{Api, WorkerView};

use crate::auth::Viewer;
use crate::http::JsonResult;

/// List the workers that hold tasks or sent a heartbeat in the last ten minutes.
#[utoipa::path(
    get, path = "/workers", tag = "workers",
    responses((status = 200, description = "The workers by name", body = Vec<WorkerView>))
)]
pub(super) async fn list_workers(Viewer(api): Viewer) -> JsonResult<Vec<WorkerView>> {
    Ok(Json(api.workers().await?))
}
