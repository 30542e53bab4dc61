//! What a failure means, for a program that knows its facts (J1).

use axum::Json;
use steadfast_api::{Api, Judged, ToJudge};

use crate::ask::Ask;
use crate::body::{Body, Sent};
use crate::openapi::Problems;
use crate::problem::Answer;

impl Sent for ToJudge {
    const WHAT: &'static str = "a failure";
}

/// The class of a failure, and the rule that gave it.
#[utoipa::path(
    post, path = "/classify", tag = "policies",
    request_body = ToJudge,
    responses((status = 200, description = "What it means", body = Judged), Problems)
)]
pub(super) async fn classify(Ask(api): Ask, Body(failure): Body<ToJudge>) -> Answer<Judged> {
    Ok(Json(api.classify(failure).await?))
}
