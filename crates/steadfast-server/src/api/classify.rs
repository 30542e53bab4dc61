//! Classification of failures (J1).

use axum::Json;
use steadfast_api::{Api, Classification, ClassifyRequest};

use crate::api::openapi::Problems;
use crate::auth::Viewer;
use crate::http::{Body, JsonResult, RequestBody};

impl RequestBody for ClassifyRequest {
    const NAME: &'static str = "a failure";
}

/// Classify a failure, with the rule that matched.
#[utoipa::path(
    post, path = "/classify", tag = "policies",
    request_body = ClassifyRequest,
    responses((status = 200, description = "The classification", body = Classification), Problems)
)]
pub(super) async fn classify(
    Viewer(api): Viewer,
    Body(failure): Body<ClassifyRequest>,
) -> JsonResult<Classification> {
    Ok(Json(api.classify(failure).await?))
}
