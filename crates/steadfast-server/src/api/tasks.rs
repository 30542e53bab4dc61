//! Tasks: submitting them, looking at them, steering them.
//!
//! Payloads and results are shown without what looks like a secret (O5): whoever works on a task
//! gets them whole, with the claim.

use std::fmt;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use steadfast::observe::Redactor;
use steadfast_api::{
    Api, ApiError, ErrorKind, NewExpiry, NewTask, Page, Preview, RequeueMany, RequeueOne, Requeued,
    Submission, Submitted, TaskFilter, TaskView, schemas,
};
use steadfast_store::MAX_PAYLOAD;
use utoipa::IntoParams;

use crate::api::openapi::Problems;
use crate::auth::extract::{Ask, Operator};
use crate::http::body::{Body, BodyOrUsual, Sent};
use crate::http::idempotency_key::IdempotencyKey;
use crate::http::path_parameters::Id;
use crate::http::problem::{Answer, Problem};
use crate::http::query::{Listed, Query};
use crate::http::traceparent::Traceparent;
use crate::limits::read_permits::Turn;

/// What there is of a task beside its payload: names, a policy, a fault.
const ENVELOPE: usize = 256 << 10;
/// The most tasks of one batch: they are written together, and others wait meanwhile.
const MOST_AT_ONCE: usize = 10_000;

impl Sent for NewTask {
    const WHAT: &'static str = "a task";
    const LARGEST: usize = MAX_PAYLOAD + ENVELOPE;
}

/// Tasks that are sent together. Those that are too many are counted, and not kept: a small body
/// can name very many of them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    tasks: Vec<NewTask>,
    beyond: usize,
}

impl<'de> Deserialize<'de> for Batch {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(Self::default())
    }
}

impl<'de> Visitor<'de> for Batch {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tasks")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut sent: A) -> Result<Self, A::Error> {
        while self.tasks.len() < MOST_AT_ONCE
            && let Some(task) = sent.next_element()?
        {
            self.tasks.push(task);
        }
        while sent.next_element::<IgnoredAny>()?.is_some() {
            self.beyond += 1;
        }
        Ok(self)
    }
}

impl Sent for Batch {
    const WHAT: &'static str = "a list of tasks";
    const LARGEST: usize = 32 << 20;
}

impl Sent for RequeueOne {
    const WHAT: &'static str = "a way to requeue";
}

impl Sent for RequeueMany {
    const WHAT: &'static str = "a way to requeue";
}

impl Sent for NewExpiry {
    const WHAT: &'static str = "an expiry";
}

/// Which task, by what it was submitted under.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ByKey {
    /// The idempotency key.
    #[param(value_type = schemas::Name)]
    key: String,
}

fn masked(task: TaskView) -> TaskView {
    task.without_secrets(Redactor::installed())
}

/// Some tasks, without their history.
#[utoipa::path(
    get, path = "/tasks", tag = "tasks",
    params(TaskFilter, steadfast_api::PageQuery),
    responses((status = 200, description = "A page of them", body = Page<TaskView>), Problems)
)]
pub(super) async fn list_tasks(
    Ask(api): Ask,
    Listed { filter, page }: Listed<TaskFilter>,
    _turn: Turn,
) -> Answer<Page<TaskView>> {
    let Page { items, next } = api.tasks(&filter, &page).await?;
    Ok(Json(Page { items: items.into_iter().map(masked).collect(), next }))
}

/// Takes a task. When it is answered, it is kept.
#[utoipa::path(
    post, path = "/tasks", tag = "tasks",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "The same as `idempotency_key` in the body"),
        ("traceparent" = Option<String>, Header, description = "The `correlation_id` of a task that has none"),
    ),
    request_body = NewTask,
    responses(
        (status = 201, description = "It was taken", body = Submission),
        (status = 200, description = "It was there already, under its key or id", body = Submission),
        Problems,
    )
)]
pub(super) async fn submit_task(
    Operator(api): Operator,
    key: IdempotencyKey,
    trace: Traceparent,
    Body(task): Body<NewTask>,
) -> Result<Response, Problem> {
    let mut taken = api.submit(key.of(trace.of(task))?).await?;
    taken.task = masked(taken.task);
    let status = if taken.existed { StatusCode::OK } else { StatusCode::CREATED };
    let location = [(LOCATION, format!("/api/v1/tasks/{}", taken.task.id))];
    Ok((status, location, Json(taken)).into_response())
}

/// Takes many tasks, all or none, at most 10000. The answers are in their order.
#[utoipa::path(
    post, path = "/tasks/batch", tag = "tasks",
    request_body = Vec<NewTask>,
    responses((status = 200, description = "What became of each", body = Vec<Submitted>), Problems)
)]
pub(super) async fn submit_batch(
    Operator(api): Operator,
    trace: Traceparent,
    Body(Batch { tasks, beyond }): Body<Batch>,
) -> Answer<Vec<Submitted>> {
    if beyond > 0 {
        return Err(too_many(tasks.len() + beyond).into());
    }
    let tasks = tasks.into_iter().map(|task| trace.of(task)).collect();
    Ok(Json(api.submit_all(tasks).await?))
}

fn too_many(tasks: usize) -> ApiError {
    let detail = format!("there are {tasks} tasks; at most {MOST_AT_ONCE} are taken at once");
    ApiError::new(ErrorKind::TooLarge, detail).next("send them as several batches")
}

/// What would become of a task, without taking it.
#[utoipa::path(
    post, path = "/tasks/preview", tag = "tasks",
    request_body = NewTask,
    responses((status = 200, description = "Its policy and its attempts", body = Preview), Problems)
)]
pub(super) async fn preview_task(Ask(api): Ask, Body(task): Body<NewTask>) -> Answer<Preview> {
    Ok(Json(api.preview(task).await?))
}

/// Has ended tasks tried again, not all at once if so wished.
#[utoipa::path(
    post, path = "/tasks/requeue", tag = "tasks",
    request_body = schemas::RequeueChosen,
    responses((status = 200, description = "How many it is", body = Requeued), Problems)
)]
pub(super) async fn requeue_tasks(
    Operator(api): Operator,
    Body(which): Body<RequeueMany>,
) -> Answer<Requeued> {
    Ok(Json(api.requeue_all(&which).await?))
}

/// One task, with its history and what is still to come of it.
#[utoipa::path(
    get, path = "/tasks/{id}", tag = "tasks",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    responses((status = 200, description = "The task", body = TaskView), Problems)
)]
pub(super) async fn show_task(Ask(api): Ask, Id(id): Id) -> Answer<TaskView> {
    Ok(Json(masked(api.task(id).await?)))
}

/// The task that an idempotency key belongs to.
#[utoipa::path(
    get, path = "/tasks/by-key", tag = "tasks",
    params(ByKey),
    responses((status = 200, description = "The task", body = TaskView), Problems)
)]
pub(super) async fn show_task_by_key(
    Ask(api): Ask,
    Query(ByKey { key }): Query<ByKey>,
) -> Answer<TaskView> {
    Ok(Json(masked(api.task_by_key(&key).await?)))
}

/// Calls a task off. A worker that has it is told.
#[utoipa::path(
    post, path = "/tasks/{id}/cancel", tag = "tasks",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    responses((status = 200, description = "The task as it is now", body = TaskView), Problems)
)]
pub(super) async fn cancel_task(Operator(api): Operator, Id(id): Id) -> Answer<TaskView> {
    Ok(Json(masked(api.cancel(id).await?)))
}

/// Has an ended task tried again.
#[utoipa::path(
    post, path = "/tasks/{id}/requeue", tag = "tasks",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    request_body = Option<RequeueOne>,
    responses((status = 200, description = "The task as it is now", body = TaskView), Problems)
)]
pub(super) async fn requeue_task(
    Operator(api): Operator,
    Id(id): Id,
    BodyOrUsual(how): BodyOrUsual<RequeueOne>,
) -> Answer<TaskView> {
    Ok(Json(masked(api.requeue(id, how).await?)))
}

/// Makes a task due now.
#[utoipa::path(
    post, path = "/tasks/{id}/run-now", tag = "tasks",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    responses((status = 200, description = "The task as it is now", body = TaskView), Problems)
)]
pub(super) async fn run_task_now(Operator(api): Operator, Id(id): Id) -> Answer<TaskView> {
    Ok(Json(masked(api.run_now(id).await?)))
}

/// Changes when a task is too late.
#[utoipa::path(
    post, path = "/tasks/{id}/expiry", tag = "tasks",
    params(("id" = schemas::TaskId, Path, description = "The task")),
    request_body = NewExpiry,
    responses((status = 200, description = "The task as it is now", body = TaskView), Problems)
)]
pub(super) async fn change_expiry(
    Operator(api): Operator,
    Id(id): Id,
    Body(NewExpiry { expires_at }): Body<NewExpiry>,
) -> Answer<TaskView> {
    Ok(Json(masked(api.set_expiry(id, expires_at).await?)))
}
