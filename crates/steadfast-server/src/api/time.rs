//! The store's time, which every other time is told by (D4).

use axum::Json;
use jiff::Timestamp;
use serde::Serialize;
use steadfast_api::Api;
use utoipa::ToSchema;

use crate::api::openapi::Problems;
use crate::auth::extract::Ask;
use crate::http::problem::Answer;

/// What time it is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StoreTime {
    /// By the store's clock.
    #[schema(value_type = String, format = "date-time")]
    now: Timestamp,
}

/// The time of the store. Clocks elsewhere may be wrong.
#[utoipa::path(
    get, path = "/time", tag = "stats",
    responses((status = 200, description = "The time", body = StoreTime), Problems)
)]
pub(super) async fn tell_time(Ask(api): Ask) -> Answer<StoreTime> {
    Ok(Json(StoreTime { now: api.now().await? }))
}
