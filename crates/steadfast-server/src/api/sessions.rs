//! What processes tried by themselves, as they recorded it (O1).

use axum::Json;
use steadfast::observe::Session;
use steadfast_api::{Api, Page, PageQuery, SessionFilter, schemas};

use crate::ask::Ask;
use crate::openapi::Problems;
use crate::problem::Answer;
use crate::query::Listed;

/// Recorded sessions, newest first. Go on with `next` for as long as it is there, even after a
/// page that is short.
#[utoipa::path(
    get, path = "/sessions", tag = "sessions",
    params(SessionFilter, PageQuery),
    responses((status = 200, description = "A page of them", body = Page<schemas::Session>), Problems)
)]
pub(super) async fn list_sessions(
    Ask(api): Ask,
    Listed { filter, page }: Listed<SessionFilter>,
) -> Answer<Page<Session>> {
    Ok(Json(api.sessions(&filter, &page).await?))
}
