//! One box for whatever somebody has in hand: an id, a key, a correlation id, a name.
//!
//! What names one thing leads to it, be it a task, an execution, a policy, a worker, a workflow or
//! a session. What names many leads to the list of them, and everything else to the tasks that say
//! it. Each is looked for only where that is cheap: by an index, or among a bounded number.

use std::time::Duration;

use axum::extract::State;
use axum::response::Redirect;
use serde::Deserialize;
use steadfast::observe::SessionId;
use steadfast_api::{
    Api, ApiError, ErrorKind, ExecutionFilter, Local, Page, PageQuery, SessionFilter, TaskFilter,
};
use steadfast_store::{ExecutionId, TaskId};

use super::{link, workers};
use crate::app::App;
use crate::extract::Ask;
use crate::problem::Problem;
use crate::query::Query;
use crate::read_permits::Turn;

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
        return Ok(Redirect::to(&link::task(id)));
    }
    if let Ok(id) = text.parse::<ExecutionId>()
        && is_there(api.execution(id).await)?
    {
        return Ok(Redirect::to(&link::execution(id)));
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

/// Where those are that this text names, or else where the tasks are that say it.
async fn many(app: &App, api: &Local, text: &str) -> Result<String, ApiError> {
    if is_request(api, text).await? {
        return Ok(link::narrowed("/tasks", &[("correlation_id", text)]));
    }
    if let Some(place) = worker_status(app, text).await {
        return Ok(place);
    }
    if api.policy(text).is_ok() {
        return Ok(link::to("/policies", text));
    }
    if let Some(number) = workflow(api, text).await? {
        return Ok(link::workflow(number));
    }
    if is_session(api, text).await? {
        return Ok(link::narrowed("/sessions", &[("session", text)]));
    }
    Ok(link::narrowed("/tasks", &[("text", text)]))
}

/// The first of a list.
const ONE: PageQuery = PageQuery { limit: 1, after: None };

fn first<T>(found: Result<Page<T>, ApiError>) -> Result<Option<T>, ApiError> {
    match found {
        Ok(page) => Ok(page.items.into_iter().next()),
        Err(error) if is_none(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn is_request(api: &Local, text: &str) -> Result<bool, ApiError> {
    let filter = TaskFilter { correlation_id: Some(text.to_owned()), ..TaskFilter::default() };
    Ok(first(api.rows(&filter, &ONE).await)?.is_some())
}

/// The queue or the worker that is called so, as far as that is known: to count them all takes
/// long.
async fn worker_status(app: &App, text: &str) -> Option<String> {
    let seen = app.stands_within(A_MOMENT).await.seen?;
    if seen.counts.queues.iter().any(|queue| queue.name == text) {
        return Some(link::queue(text));
    }
    let worker = seen.workers.iter().find(|worker| worker.name == text)?;
    Some(link::within("/", &workers::row_id(worker)))
}

/// The workflow of this number, or the one of this name that was started last. One that never was
/// is looked for among the newest.
async fn workflow(api: &Local, text: &str) -> Result<Option<i64>, ApiError> {
    if let Ok(number) = text.parse()
        && is_there(api.workflow(number).await)?
    {
        return Ok(Some(number));
    }
    let filter = ExecutionFilter { workflow: Some(text.to_owned()), status: None };
    if let Some(execution) = first(api.executions(&filter, &ONE).await)? {
        return Ok(Some(execution.workflow_id));
    }
    let newest = api.workflows(&PageQuery::default()).await?.items;
    Ok(newest.iter().find(|workflow| workflow.name == text).map(|workflow| workflow.id))
}

/// Whether one of the latest sessions has this id.
async fn is_session(api: &Local, text: &str) -> Result<bool, ApiError> {
    if text.parse::<SessionId>().is_err() {
        return Ok(false);
    }
    let filter = SessionFilter { session: Some(text.to_owned()), ..SessionFilter::default() };
    Ok(first(api.sessions(&filter, &ONE).await)?.is_some())
}
