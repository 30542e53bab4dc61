//! The page of one task: status, attempts, documents, details and actions.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Local, TaskFilter, TaskView};
use steadfast_store::{TaskId, retries_only_lost_workers};

use super::{blockers, buttons, headline, label, list, schedule, timeline};
use crate::auth::Viewer;
use crate::http::PathTaskId;
use crate::web::{PageResult, PolicyLinks, Section, View, link, parts};

const MAX_RELATED: u32 = 11;

pub(super) struct InvalidInput {
    pub(super) value: String,
    pub(super) problem: String,
}

pub(super) async fn show(
    view: View,
    Viewer(api): Viewer,
    PathTaskId(id): PathTaskId,
) -> PageResult {
    page(&view, &api, id, None).await
}

/// The page, with the error of a rejected form.
pub(super) async fn page(
    view: &View,
    api: &Local,
    id: TaskId,
    invalid: Option<InvalidInput>,
) -> PageResult {
    let task = api.task(id).await?.without_secrets(Redactor::installed());
    let mut related = related(api, &task).await?;
    label::load_payloads(&view.app.store, &mut related).await?;
    let policies = PolicyLinks::load(api).await?;
    let snapshot = blockers::snapshot(&view.app).await;
    let blockers = blockers::blockers(view, &task, snapshot.as_deref());
    let requeues = timeline::requeues(&view.app.store, &task).await?;
    let label = label::from_payload(&task);
    let name = label.as_ref().unwrap_or(&task.kind);
    let content = html! {
        div class="task-head" {
            p class="muted" { a href="/tasks" { "Tasks" } " / " (parts::copyable(&task.id.to_string(), "ID")) }
            div class="page-head" {
                h1 { (name) }
                @if label.is_some() { span class="tag" { (task.kind) } }
                (parts::status(task.status))
                @if let Some(reason) = task.reason { (parts::reason(reason)) }
                @if view.can_operate() { div class="head-actions" { (buttons::buttons(view, &task, invalid.as_ref())) } }
            }
            @if let Some(problem) = &task.problem { (parts::unreadable(problem)) }
            p class="next" id="next" { (headline::headline(view, &task, blockers.as_ref())) }
        }
        div class="columns task" {
            div class="stack" {
                (parts::panel("Attempts", timeline::timeline(view, &task, &requeues, blockers.as_ref())))
                (parts::document_panel("Payload", "payload", &task.payload))
                @if let Some(result) = &task.result { (parts::document_panel("Result", "result", result)) }
            }
            div class="stack" {
                (details(view, &task))
                (schedule::schedule(task.next.as_deref().unwrap_or_default()))
                (policy(&task, &policies))
                @if !related.is_empty() {
                    (parts::panel("Related tasks", list::rows(view, &related)))
                }
            }
        }
    };
    let status = if invalid.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let title = format!("{name} {}", task.status);
    Ok(view.answer(status, Some(Section::TASKS), &title, &content))
}

/// Other tasks with the same correlation ID.
async fn related(api: &Local, task: &TaskView) -> Result<Vec<TaskView>, ApiError> {
    let Some(correlation_id) = task.correlation_id.clone() else {
        return Ok(Vec::new());
    };
    let filter = TaskFilter { correlation_id: Some(correlation_id), ..TaskFilter::default() };
    let page = steadfast_api::PageQuery { limit: MAX_RELATED, after: None };
    let mut found = api.rows(&filter, &page).await?.items;
    found.retain(|other| other.id != task.id);
    Ok(found)
}

fn details(view: &View, task: &TaskView) -> Markup {
    let at = |time| parts::at(view.now, time);
    let content = html! {
        dl class="facts" {
            dt { "Queue" } dd { a href=(link::queue(&task.queue)) { (task.queue) } }
            @if let Some(category) = &task.category { dt { "Category" } dd { (category) } }
            @if task.priority != 0 { dt { "Priority" } dd { (task.priority) } }
            dt { "Submitted" } dd { (at(task.submitted_at)) }
            dt { "Due" } dd { (at(task.scheduled_at)) }
            @if let Some(time) = task.last_attempt_at { dt { "Last attempt" } dd { (at(time)) } }
            @if let Some(time) = task.ended_at { dt { "Finished" } dd { (at(time)) } }
            @match task.expires_at {
                Some(time) if time <= view.now => { dt { "Expired" } dd { (at(time)) } }
                Some(time) => { dt { "Expires" } dd { (at(time)) } }
                None => { dt { "Expires" } dd { "never" } }
            }
            dt { "Attempts" } dd { (task.attempts) (headline::of_max(task)) }
            @if task.rate_limit_waits > 0 { dt { "Rate-limit waits" } dd { (task.rate_limit_waits) } }
            @if let Some(lease) = &task.lease {
                dt { "Worker" } dd { (lease.owner) }
                dt { "Lease expires" } dd { (at(lease.until)) }
                dt { "Fencing token" } dd { (lease.fencing_token) }
            }
            @if let Some(key) = &task.idempotency_key { dt { "Idempotency key" } dd { (parts::copyable(key, "key")) } }
            @if let Some(id) = &task.correlation_id { dt { "Correlation ID" } dd { (parts::copyable(id, "correlation ID")) " " (correlated(id)) } }
            @if view.can_see(Section::AUDIT) {
                dt { "Audit" } dd { a href=(link::filtered("/audit", [("target", &task.id.to_string())])) { "View audit log" } }
            }
        }
    };
    parts::panel("Details", content)
}

/// Links to everything with the same correlation ID.
fn correlated(id: &str) -> Markup {
    let url = |path| link::filtered(path, [("correlation_id", id)]);
    html! { a href=(url("/tasks")) { "View tasks" } ", " a href=(url("/sessions")) { "view sessions" } }
}

fn policy(task: &TaskView, policies: &PolicyLinks) -> Markup {
    let Some(policy) = &task.policy else {
        return html! {};
    };
    let name = policy.id().unwrap_or("inline");
    let link = html! {
        @if let Some(url) = policies.url(name) { a href=(url) { "View current policy" } }
    };
    let value = serde_json::to_value(policy).unwrap_or(Value::Null);
    let content = html! {
        dl class="facts" {
            dt { "Policy at submission" } dd { (name) }
            @match retries_only_lost_workers(policy) {
                true => { dt { "Retries" } dd { (parts::only_lost_workers(policy)) } }
                false => { dt { "Max attempts" } dd { (policy.max_attempts()) } }
            }
            @if let Some(limit) = policy.max_duration() { dt { "Max duration" } dd { (parts::duration(limit)) } }
            @if let Some(limit) = policy.attempt_timeout() { dt { "Attempt timeout" } dd { (parts::duration(limit)) } }
        }
        details class="table" { summary { "All settings" } div class="panel-body" { (parts::document("policy", &value)) } }
    };
    parts::panel_with("Policy", link, content)
}
