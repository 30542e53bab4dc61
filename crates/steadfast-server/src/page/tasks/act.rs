//! What is done to one task. Each ends on the task's page, which shows what became of it.

use axum::response::Response;
use serde::Deserialize;
use steadfast_api::{Api, RequeueOne, when};
use steadfast_store::TaskId;

use crate::ask::Operator;
use crate::page::done::Done;
use crate::page::form::Form;
use crate::page::link;
use crate::path::Id;
use crate::problem::Problem;

fn back(id: TaskId, done: Done) -> Response {
    done.then(&link::task(id))
}

/// Calls it off.
pub(super) async fn cancel(Operator(api): Operator, Id(id): Id) -> Result<Response, Problem> {
    api.cancel(id).await?;
    Ok(back(id, Done::Cancelled))
}

/// How it is to be tried again.
#[derive(Debug, Deserialize)]
pub(super) struct Again {
    /// `fresh` counts attempts from the start, anything else goes on.
    #[serde(default)]
    count: String,
}

/// Has it tried again.
pub(super) async fn requeue(
    Operator(api): Operator,
    Id(id): Id,
    Form(Again { count }): Form<Again>,
) -> Result<Response, Problem> {
    api.requeue(id, RequeueOne { fresh: count == "fresh" }).await?;
    Ok(back(id, Done::Requeued))
}

/// Makes it due.
pub(super) async fn run_now(Operator(api): Operator, Id(id): Id) -> Result<Response, Problem> {
    api.run_now(id).await?;
    Ok(back(id, Done::RunNow))
}

/// When it is to be too late.
#[derive(Debug, Deserialize)]
pub(super) struct Expiry {
    #[serde(default)]
    expires_at: String,
}

/// Changes when it is too late; never, if nothing is said.
pub(super) async fn expiry(
    Operator(api): Operator,
    Id(id): Id,
    Form(Expiry { expires_at }): Form<Expiry>,
) -> Result<Response, Problem> {
    api.set_expiry(id, when::typed("expires_at", &expires_at)?).await?;
    Ok(back(id, Done::Expires))
}
