//! What a failure means, for a program that knows its facts (J1).

use axum::Json;
use steadfast_api::{Api, Classification, ClassifyRequest};

use crate::api::openapi::Problems;
use crate::auth::extract::Ask;
use crate::http::body::{Body, Sent};
use crate::http::problem::Answer;

impl Sent for ClassifyRequest {
    const WHAT: &'static str = "a failure";
}

/// The class of a failure, and the rule that gave it.
#[utoipa::path(
    post, path = "/classify", tag = "policies",
    request_body = ClassifyRequest,
    responses((status = 200, description = "What it means", body = Classification), Problems)
)]
pub(super) async fn classify(
    Ask(api): Ask,
    Body(failure): Body<ClassifyRequest>,
) -> Answer<Classification> {
    Ok(Json(api.classify(failure).await?))
}
