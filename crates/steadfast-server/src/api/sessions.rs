//! What was tried (O1): by processes, as they recorded it, and as tasks that ended.

use axum::Json;
use steadfast::observe::Session;
use steadfast_api::{Api, Page, PageQuery, SessionFilter, schemas};

use crate::api::openapi::Problems;
use crate::auth::extract::Ask;
use crate::http::path_parameters::Id;
use crate::http::problem::Answer;
use crate::http::query::Listed;
use crate::limits::read_permits::Turn;

/// Sessions that processes recorded and tasks that ended, the latest first. Go on with `next` for as
/// long as it is there, even after a page that is short. What a task answered is told of one alone.
#[utoipa::path(
    get, path = "/sessions", tag = "sessions",
    params(SessionFilter, PageQuery),
    responses((status = 200, description = "A page of them", body = Page<schemas::Session>), Problems)
)]
pub(super) async fn list_sessions(
    Ask(api): Ask,
    Listed { filter, page }: Listed<SessionFilter>,
    _turn: Turn,
) -> Answer<Page<Session>> {
    Ok(Json(api.sessions(&filter, &page).await?))
}

/// A task as the session that it is: its attempts since its last fresh start, ended or not.
#[utoipa::path(
    get, path = "/tasks/{id}/session", tag = "sessions",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    responses((status = 200, description = "The session", body = schemas::Session), Problems)
)]
pub(super) async fn show_task_session(Ask(api): Ask, Id(id): Id) -> Answer<Session> {
    Ok(Json(api.task_session(id).await?))
}
