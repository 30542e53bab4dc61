//! Workers: who is there, and how much each has to do (H2).

use axum::Json;
use steadfast_api::{Api, WorkerView};

use crate::api::openapi::Problems;
use crate::auth::extract::Ask;
use crate::http::problem::Answer;

/// Everybody who works, or was heard of in the last ten minutes.
#[utoipa::path(
    get, path = "/workers", tag = "workers",
    responses((status = 200, description = "All of them, by name", body = Vec<WorkerView>), Problems)
)]
pub(super) async fn list_workers(Ask(api): Ask) -> Answer<Vec<WorkerView>> {
    Ok(Json(api.workers().await?))
}
