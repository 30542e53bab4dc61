//! Retry sessions (O1): recorded by processes, and of finished tasks.

use axum::Json;
use steadfast::observe::Session;
use steadfast_api::{Api, Page, PageQuery, SessionFilter};
use steadfast_store::TaskId;

use crate::auth::Viewer;
use crate::http::{JsonResult, ListQuery, PathTaskId};
use crate::limits::ReadPermit;

/// List recorded sessions and finished tasks, latest first. Continue while `next` is present, even after a
/// short page. Task results are only in the session of a single task.
#[utoipa::path(
    get, path = "/sessions", tag = "sessions",
    params(SessionFilter, PageQuery),
    responses((status = 200, description = "A page of sessions", body = Page<Session>))
)]
pub(super) async fn list_sessions(
    Viewer(api): Viewer,
    ListQuery { filter, page }: ListQuery<SessionFilter>,
    _permit: ReadPermit,
) -> JsonResult<Page<Session>> {
    Ok(Json(api.sessions(&filter, &page).await?))
}

/// Get a task as a session: its attempts since it was submitted or last requeued.
#[utoipa::path(
    get, path = "/tasks/{id}/session", tag = "sessions",
    params(("id" = TaskId, Path, description = "The task")),
    responses((status = 200, description = "The session", body = Session))
)]
pub(super) async fn show_task_session(
    Viewer(api): Viewer,
    PathTaskId(id): PathTaskId,
) -> JsonResult<Session> {
    Ok(Json(api.task_session(id).await?))
}
