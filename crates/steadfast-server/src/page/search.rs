//! One box for whatever somebody has in hand: an id, a key, a correlation id, a name.
//!
//! What names one task leads to it. Everything else leads to the list of those that it is said
//! of.

use axum::response::Redirect;
use serde::Deserialize;
use steadfast_api::{Api, ApiError, ErrorKind, Local, PageQuery, TaskFilter};
use steadfast_store::TaskId;

use crate::ask::Ask;
use crate::problem::Problem;
use crate::query::Query;

/// What was typed.
#[derive(Debug, Deserialize)]
pub(super) struct Sought {
    #[serde(default)]
    q: String,
}

/// Leads to what was sought.
pub(super) async fn search(
    Ask(api): Ask,
    Query(Sought { q }): Query<Sought>,
) -> Result<Redirect, Problem> {
    let text = q.trim();
    if text.is_empty() {
        return Ok(Redirect::to("/tasks"));
    }
    if let Some(id) = one(&api, text).await? {
        return Ok(Redirect::to(&format!("/tasks/{id}")));
    }
    let filter = many(&api, text).await?;
    let query = serde_urlencoded::to_string(filter).unwrap_or_default();
    Ok(Redirect::to(&format!("/tasks?{query}")))
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

/// Tasks of the request, the queue or the kind of this name, whichever has any.
async fn many(api: &Local, text: &str) -> Result<TaskFilter, ApiError> {
    let text = Some(text.to_owned());
    let ways = [
        TaskFilter { correlation_id: text.clone(), ..TaskFilter::default() },
        TaskFilter { queue: text.clone(), ..TaskFilter::default() },
        TaskFilter { kind: text.clone(), ..TaskFilter::default() },
        TaskFilter { category: text.clone(), ..TaskFilter::default() },
    ];
    let one = PageQuery { limit: 1, after: None };
    for filter in ways {
        match api.tasks(&filter, &one).await {
            Ok(found) if found.items.is_empty() => {}
            Ok(_) => return Ok(filter),
            Err(error) if is_none(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(TaskFilter { kind: text, ..TaskFilter::default() })
}
