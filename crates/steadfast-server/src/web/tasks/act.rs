//! What is done to one task. Each ends on the task's page, which shows what became of it.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use steadfast_api::{Api, ErrorKind, RequeueOne, when};
use steadfast_store::TaskId;

use super::in_short;
use super::show::{self, Wrong};
use crate::app::App;
use crate::extract::Operator;
use crate::path_parameters::Id;
use crate::problem::Problem;
use crate::web::done::Done;
use crate::web::form::Form;
use crate::web::link;
use crate::web::view::View;

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
    /// `kept` leaves it due when it was going to be, anything else makes it due now.
    #[serde(default)]
    time: String,
}

/// Has it tried again.
pub(super) async fn requeue(
    Operator(api): Operator,
    Id(id): Id,
    Form(Again { count, time }): Form<Again>,
) -> Result<Response, Problem> {
    let how = RequeueOne { fresh: count == "fresh", keep_time: time == "kept" };
    api.requeue(id, how).await?;
    Ok(back(id, Done::Requeued))
}

/// Makes it due.
pub(super) async fn run_now(Operator(api): Operator, Id(id): Id) -> Result<Response, Problem> {
    api.run_now(id).await?;
    Ok(back(id, Done::RunNow))
}

/// When it is to be too late.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expiry {
    expires_at: String,
}

/// Changes when it is too late; never, if nothing is said. What makes no sense is said at its field.
pub(super) async fn expiry(
    view: View,
    Operator(api): Operator,
    State(app): State<App>,
    Id(id): Id,
    Form(Expiry { expires_at }): Form<Expiry>,
) -> Result<Response, Problem> {
    let changed = match when::typed("expires_at", &expires_at) {
        Ok(when) => api.set_expiry(id, when).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(back(id, Done::Expires)),
        Err(error) if error.kind == ErrorKind::Invalid => {
            let wrong = Wrong { typed: expires_at, problem: in_short(&error) };
            show::page(&view, &api, &app, id, Some(wrong)).await
        }
        Err(error) => Err(error.into()),
    }
}
