//! The store's time, which all timestamps refer to (D4).

use axum::Json;
use jiff::Timestamp;
use serde::Serialize;
use steadfast_api::Api;
use utoipa::ToSchema;

use crate::api::openapi::Problems;
use crate::auth::Viewer;
use crate::http::JsonResult;

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
    responses((status = 200, description = "The time", body = StoreTime), Problems)
)]
pub(super) async fn get_time(Viewer(api): Viewer) -> JsonResult<StoreTime> {
    Ok(Json(StoreTime { now: api.now().await? }))
}
