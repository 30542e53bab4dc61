//! Tasks: submit, read and control.
//!
//! Secrets in payloads and results are redacted (O5). Workers get the full payload with the claim.

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
    Submission, Submitted, TaskFilter, TaskView, openapi,
};
use steadfast_store::{MAX_PAYLOAD, TaskId};
use utoipa::IntoParams;

use crate::auth::{Operator, Viewer};
use crate::http::{
    Body, BodyOrDefault, IdempotencyKey, JsonResult, ListQuery, PathTaskId, Problem, Query,
    Traceparent, request_body,
};
use crate::limits::ReadPermit;
use crate::payload_check::check_payload;

/// The maximum size of a task without its payload: names, policy, fault.
const MAX_ENVELOPE_BYTES: usize = 256 << 10;
/// The maximum number of tasks in a batch, which is written in one transaction.
const MAX_BATCH_TASKS: usize = 10_000;

request_body!(NewTask, "a task", MAX_PAYLOAD + MAX_ENVELOPE_BYTES);

/// A batch of tasks. Excess tasks are counted and not kept, because a small body can contain very many.
#[derive(Debug, Default)]
pub(super) struct Batch {
    tasks: Vec<NewTask>,
    excess: usize,
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
        while self.tasks.len() < MAX_BATCH_TASKS
            && let Some(task) = sent.next_element()?
        {
            self.tasks.push(task);
        }
        while sent.next_element::<IgnoredAny>()?.is_some() {
            self.excess += 1;
        }
        Ok(self)
    }
}

request_body!(Batch, "a list of tasks", 32 << 20);
request_body!(RequeueOne, "a requeue request");
request_body!(RequeueMany, "a requeue request");
request_body!(NewExpiry, "an expiry");

/// Selects a task by its idempotency key.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ByKey {
    /// The idempotency key.
    #[param(value_type = openapi::Name)]
    key: String,
}

fn redacted(task: TaskView) -> TaskView {
    task.without_secrets(Redactor::installed())
}

/// List tasks without their history.
#[utoipa::path(
    get, path = "/tasks", tag = "tasks",
    params(TaskFilter, steadfast_api::PageQuery),
    responses((status = 200, description = "A page of tasks", body = Page<TaskView>))
)]
pub(super) async fn list_tasks(
    Viewer(api): Viewer,
    ListQuery { filter, page }: ListQuery<TaskFilter>,
    _permit: ReadPermit,
) -> JsonResult<Page<TaskView>> {
    let Page { items, next } = api.tasks(&filter, &page).await?;
    Ok(Json(Page { items: items.into_iter().map(redacted).collect(), next }))
}

/// Submit a task. The response means that it is stored durably.
#[utoipa::path(
    post, path = "/tasks", tag = "tasks",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "The same as `idempotency_key` in the body"),
        ("traceparent" = Option<String>, Header, description = "Becomes the `correlation_id` of a task that has none"),
    ),
    request_body = NewTask,
    responses(
        (status = 201, description = "The task was created", body = Submission),
        (status = 200, description = "A task with this key or id exists already", body = Submission),
    )
)]
pub(super) async fn submit_task(
    Operator(api): Operator,
    key: IdempotencyKey,
    trace: Traceparent,
    Body(task): Body<NewTask>,
) -> Result<Response, Problem> {
    check_payload(&task)?;
    let mut task = trace.apply(task);
    task.idempotency_key = key.or_field("idempotency_key", task.idempotency_key)?;
    let mut submission = api.submit(task).await?;
    submission.task = redacted(submission.task);
    let status = if submission.existed { StatusCode::OK } else { StatusCode::CREATED };
    let location = [(LOCATION, format!("/api/v1/tasks/{}", submission.task.id))];
    Ok((status, location, Json(submission)).into_response())
}

/// Submit up to 10000 tasks atomically. The results are in the same order.
#[utoipa::path(
    post, path = "/tasks/batch", tag = "tasks",
    request_body = Vec<NewTask>,
    responses((status = 200, description = "The result of each task", body = Vec<Submitted>))
)]
pub(super) async fn submit_batch(
    Operator(api): Operator,
    trace: Traceparent,
    Body(Batch { tasks, excess }): Body<Batch>,
) -> JsonResult<Vec<Submitted>> {
    if excess > 0 {
        return Err(too_many(tasks.len() + excess).into());
    }
    for (index, task) in tasks.iter().enumerate() {
        check_payload(task).map_err(|error| {
            let field = error.field.clone().unwrap_or_default();
            error.field(format!("[{index}].{field}"))
        })?;
    }
    let tasks = tasks.into_iter().map(|task| trace.apply(task)).collect();
    Ok(Json(api.submit_all(tasks).await?))
}

fn too_many(tasks: usize) -> ApiError {
    let detail = format!("the batch has {tasks} tasks; the maximum is {MAX_BATCH_TASKS}");
    ApiError::new(ErrorKind::TooLarge, detail).next("split it into several batches")
}

/// Preview a task without submitting it.
#[utoipa::path(
    post, path = "/tasks/preview", tag = "tasks",
    request_body = NewTask,
    responses((status = 200, description = "Its policy and planned attempts", body = Preview))
)]
pub(super) async fn preview_task(
    Viewer(api): Viewer,
    Body(task): Body<NewTask>,
) -> JsonResult<Preview> {
    check_payload(&task)?;
    Ok(Json(api.preview(task).await?))
}

/// Requeue finished tasks, optionally at a limited rate.
#[utoipa::path(
    post, path = "/tasks/requeue", tag = "tasks",
    request_body = openapi::BulkRequeue,
    responses((status = 200, description = "The number of requeued tasks", body = Requeued))
)]
pub(super) async fn requeue_tasks(
    Operator(api): Operator,
    Body(request): Body<RequeueMany>,
) -> JsonResult<Requeued> {
    Ok(Json(api.requeue_all(&request).await?))
}

/// Get a task with its history and planned attempts.
#[utoipa::path(
    get, path = "/tasks/{id}", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task")),
    responses((status = 200, description = "The task", body = TaskView))
)]
pub(super) async fn show_task(
    Viewer(api): Viewer,
    PathTaskId(id): PathTaskId,
) -> JsonResult<TaskView> {
    Ok(Json(redacted(api.task(id).await?)))
}

/// Get a task by its idempotency key.
#[utoipa::path(
    get, path = "/tasks/by-key", tag = "tasks",
    params(ByKey),
    responses((status = 200, description = "The task", body = TaskView))
)]
pub(super) async fn show_task_by_key(
    Viewer(api): Viewer,
    Query(ByKey { key }): Query<ByKey>,
) -> JsonResult<TaskView> {
    Ok(Json(redacted(api.task_by_key(&key).await?)))
}

/// Cancel a task. Its worker is notified.
#[utoipa::path(
    post, path = "/tasks/{id}/cancel", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task")),
    responses((status = 200, description = "The updated task", body = TaskView))
)]
pub(super) async fn cancel_task(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
) -> JsonResult<TaskView> {
    Ok(Json(redacted(api.cancel(id).await?)))
}

/// Requeue a finished task.
#[utoipa::path(
    post, path = "/tasks/{id}/requeue", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task")),
    request_body = Option<RequeueOne>,
    responses((status = 200, description = "The updated task", body = TaskView))
)]
pub(super) async fn requeue_task(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    BodyOrDefault(request): BodyOrDefault<RequeueOne>,
) -> JsonResult<TaskView> {
    Ok(Json(redacted(api.requeue(id, request).await?)))
}

/// Run a scheduled task now.
#[utoipa::path(
    post, path = "/tasks/{id}/run-now", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task")),
    responses((status = 200, description = "The updated task", body = TaskView))
)]
pub(super) async fn run_task_now(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
) -> JsonResult<TaskView> {
    Ok(Json(redacted(api.run_now(id).await?)))
}

/// Change the expiry of a task.
#[utoipa::path(
    post, path = "/tasks/{id}/expiry", tag = "tasks",
    params(("id" = TaskId, Path, description = "The task")),
    request_body = NewExpiry,
    responses((status = 200, description = "The updated task", body = TaskView))
)]
pub(super) async fn change_expiry(
    Operator(api): Operator,
    PathTaskId(id): PathTaskId,
    Body(NewExpiry { expires_at }): Body<NewExpiry>,
) -> JsonResult<TaskView> {
    Ok(Json(redacted(api.set_expiry(id, expires_at).await?)))
}
