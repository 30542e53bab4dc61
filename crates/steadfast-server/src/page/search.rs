//! One box for whatever somebody has in hand: an id, a key, a correlation id, a name.
//!
//! What names one task leads to it, and so does what names a policy. Everything else leads to the
//! list of those that it is said of.

use std::time::Duration;

use axum::extract::State;
use axum::response::Redirect;
use serde::Deserialize;
use steadfast_api::{Api, ApiError, ErrorKind, Local, PageQuery, TaskFilter};
use steadfast_store::{ExecutionId, TaskId};

use super::link;
use crate::app::App;
use crate::ask::Ask;
use crate::problem::Problem;
use crate::query::Query;
use crate::turns::Turn;

/// How long is waited to know the queues as they are now.
const A_MOMENT: Duration = Duration::from_millis(30);

/// What was typed.
#[derive(Debug, Deserialize)]
pub(super) struct Sought {
    #[serde(default)]
    q: String,
}

/// Leads to what was sought.
pub(super) async fn search(
    Ask(api): Ask,
    State(app): State<App>,
    Query(Sought { q }): Query<Sought>,
    _turn: Turn,
) -> Result<Redirect, Problem> {
    let text = q.trim();
    if text.is_empty() {
        return Ok(Redirect::to("/tasks"));
    }
    if let Some(id) = one(&api, text).await? {
        return Ok(Redirect::to(&format!("/tasks/{id}")));
    }
    if let Ok(id) = text.parse::<ExecutionId>()
        && is_there(api.execution(id).await)?
    {
        return Ok(Redirect::to(&format!("/executions/{id}")));
    }
    Ok(Redirect::to(&many(&app, &api, text).await?))
}

/// The task of this id or key.
async fn one(api: &Local, text: &str) -> Result<Option<TaskId>, ApiError> {
    if let Ok(id) = text.parse::<TaskId>()
        && is_there(api.task(id).await)?
    {
        return Ok(Some(id));
    }
    match api.task_by_key(text).await {
        Ok(task) => Ok(Some(task.id)),
        Err(error) if is_none(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_there<T>(answer: Result<T, ApiError>) -> Result<bool, ApiError> {
    match answer {
        Ok(_) => Ok(true),
        Err(error) if is_none(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A text that nothing can be called by finds nothing.
fn is_none(error: &ApiError) -> bool {
    matches!(error.kind, ErrorKind::NotFound | ErrorKind::Invalid)
}

/// Where the tasks are that belong to this request or stand in this queue, or where this policy
/// is, or else where those are that say it.
async fn many(app: &App, api: &Local, text: &str) -> Result<String, ApiError> {
    let filter = TaskFilter { correlation_id: Some(text.to_owned()), ..TaskFilter::default() };
    let one = PageQuery { limit: 1, after: None };
    let name = match api.tasks(&filter, &one).await {
        Ok(found) if !found.items.is_empty() => "correlation_id",
        Ok(_) if is_queue(app, text).await => "queue",
        Ok(_) if api.policy(text).is_ok() => return Ok(link::to("/policies", text)),
        Ok(_) => "text",
        Err(error) if is_none(&error) => "text",
        Err(error) => return Err(error),
    };
    Ok(link::narrowed("/tasks", &[(name, text)]))
}

/// Whether a queue is called so, as far as that is known: to count them all takes long.
async fn is_queue(app: &App, text: &str) -> bool {
    let told = app.stands_within(A_MOMENT).await;
    told.seen.is_some_and(|seen| seen.counts.queues.iter().any(|queue| queue.name == text))
}
