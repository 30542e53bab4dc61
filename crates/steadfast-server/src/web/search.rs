//! The search box: redirects to the best match for an ID, a key, a correlation ID or a name.
//!
//! A text that names one task, execution, policy, worker, workflow or session leads to its page; one
//! that names several leads to their list; any other text leads to a text search of tasks. Each
//! lookup is cheap: by an index, or over a bounded number of entries.

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
use crate::auth::Viewer;
use crate::http::{Problem, Query};
use crate::limits::ReadPermit;

const SNAPSHOT_WAIT: Duration = Duration::from_millis(30);

#[derive(Debug, Deserialize)]
pub(super) struct SearchQuery {
    #[serde(default)]
    q: String,
}

pub(super) async fn search(
    Viewer(api): Viewer,
    State(app): State<App>,
    Query(SearchQuery { q }): Query<SearchQuery>,
    _permit: ReadPermit,
) -> Result<Redirect, Problem> {
    let text = q.trim();
    if text.is_empty() {
        return Ok(Redirect::to("/tasks"));
    }
    if let Some(id) = task_id(&api, text).await? {
        return Ok(Redirect::to(&link::task(id)));
    }
    if let Ok(id) = text.parse::<ExecutionId>()
        && exists(api.execution(id).await)?
    {
        return Ok(Redirect::to(&link::execution(id)));
    }
    Ok(Redirect::to(&find_list(&app, &api, text).await?))
}

async fn task_id(api: &Local, text: &str) -> Result<Option<TaskId>, ApiError> {
    if let Ok(id) = text.parse::<TaskId>()
        && exists(api.task(id).await)?
    {
        return Ok(Some(id));
    }
    Ok(found(api.task_by_key(text).await)?.map(|task| task.id))
}

fn exists<T>(result: Result<T, ApiError>) -> Result<bool, ApiError> {
    Ok(found(result)?.is_some())
}

fn first<T>(result: Result<Page<T>, ApiError>) -> Result<Option<T>, ApiError> {
    Ok(found(result)?.and_then(|page| page.items.into_iter().next()))
}

/// The result, if there is a match: a text that is not a valid name matches nothing.
fn found<T>(result: Result<T, ApiError>) -> Result<Option<T>, ApiError> {
    match result {
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Invalid) => Ok(None),
        result => result.map(Some),
    }
}

/// The page of the named thing, or else the tasks that contain the text.
async fn find_list(app: &App, api: &Local, text: &str) -> Result<String, ApiError> {
    if is_correlation_id(api, text).await? {
        return Ok(link::filtered("/tasks", [("correlation_id", text)]));
    }
    if let Some(url) = queue_or_worker(app, text).await {
        return Ok(url);
    }
    if api.policy(text).is_ok() {
        return Ok(link::to("/policies", text));
    }
    if let Some(number) = workflow(api, text).await? {
        return Ok(link::workflow(number));
    }
    if is_session(api, text).await? {
        return Ok(link::filtered("/sessions", [("session", text)]));
    }
    Ok(link::filtered("/tasks", [("text", text)]))
}

const FIRST: PageQuery = PageQuery { limit: 1, after: None };

async fn is_correlation_id(api: &Local, text: &str) -> Result<bool, ApiError> {
    let filter = TaskFilter { correlation_id: Some(text.to_owned()), ..TaskFilter::default() };
    Ok(first(api.rows(&filter, &FIRST).await)?.is_some())
}

/// The queue or the worker with this name, from the cached counts.
async fn queue_or_worker(app: &App, text: &str) -> Option<String> {
    let seen = app.snapshots.full_within(SNAPSHOT_WAIT).await.value?;
    if seen.counts.queues.iter().any(|queue| queue.name == text) {
        return Some(link::queue(text));
    }
    let worker = seen.workers.iter().find(|worker| worker.name == text)?;
    Some(link::anchor("/queues", &workers::row_id(worker)))
}

/// The workflow with this number, or the version of this name that was started last. A name that was
/// never started is searched among the newest workflows.
async fn workflow(api: &Local, text: &str) -> Result<Option<i64>, ApiError> {
    if let Ok(number) = text.parse()
        && exists(api.workflow(number).await)?
    {
        return Ok(Some(number));
    }
    let filter = ExecutionFilter { workflow: Some(text.to_owned()), status: None };
    if let Some(execution) = first(api.executions(&filter, &FIRST).await)? {
        return Ok(Some(execution.workflow_id));
    }
    let newest = api.workflows(&PageQuery::default()).await?.items;
    Ok(newest.iter().find(|workflow| workflow.name == text).map(|workflow| workflow.id))
}

/// Whether one of the latest sessions has this ID.
async fn is_session(api: &Local, text: &str) -> Result<bool, ApiError> {
    if text.parse::<SessionId>().is_err() {
        return Ok(false);
    }
    let filter = SessionFilter { session: Some(text.to_owned()), ..SessionFilter::default() };
    Ok(first(api.sessions(&filter, &FIRST).await)?.is_some())
}
