//! Operator actions on one task. Each redirects to the task with a flash message.

use axum::response::Response;
use serde::Deserialize;
use steadfast_api::{Api, ErrorKind, RequeueOne, time_input};
use steadfast_store::TaskId;

use super::field_error;
use super::show::{self, InvalidInput};
use crate::auth::Operator;
use crate::http::PathTaskId;
use crate::web::{Flash, Form, PageResult, View, link};

fn redirect(id: TaskId, flash: Flash) -> Response {
    flash.redirect(&link::task(id))
}

pub(super) async fn cancel(Operator(api): Operator, PathTaskId(id): PathTaskId) -> PageResult {
    api.cancel(id).await?;
    Ok(redirect(id, Flash::CANCELLED))
}

#[derive(Debug, Deserialize)]
pub(super) struct RequeueForm {
    /// `fresh` resets the attempt count, anything else keeps it.
    #[serde(default)]
    count: String,
    /// `kept` keeps the scheduled time, anything else makes the task due now.
    #[serde(default)]
    time: String,
}

pub(super) async fn requeue(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    Form(RequeueForm { count, time }): Form<RequeueForm>,
) -> PageResult {
    let how = RequeueOne { fresh: count == "fresh", keep_time: time == "kept" };
    api.requeue(id, how).await?;
    Ok(redirect(id, Flash::REQUEUED))
}

pub(super) async fn run_now(Operator(api): Operator, PathTaskId(id): PathTaskId) -> PageResult {
    api.run_now(id).await?;
    Ok(redirect(id, Flash::RUN_NOW))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpiryForm {
    expires_at: String,
}

/// Sets the expiry; empty is never. An invalid value is shown at its field.
pub(super) async fn expiry(
    view: View,
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    Form(ExpiryForm { expires_at }): Form<ExpiryForm>,
) -> PageResult {
    let changed = match time_input::parse_field("expires_at", &expires_at) {
        Ok(when) => api.set_expiry(id, when).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(redirect(id, Flash::EXPIRY_SET)),
        Err(error) if error.kind == ErrorKind::Invalid => {
            let input = InvalidInput { value: expires_at, problem: field_error(&error) };
            show::page(&view, &api, id, Some(input)).await
        }
        Err(error) => Err(error.into()),
    }
}
