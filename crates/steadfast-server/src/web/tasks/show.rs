//! One task: where it is, what comes next, what happened, what can be done.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Local, TaskFilter, TaskView};
use steadfast_store::TaskId;

use super::{actions, called, headline, held, rows, schedule, timeline};
use crate::app::App;
use crate::extract::Ask;
use crate::path_parameters::Id;
use crate::problem::Problem;
use crate::web::linkable::LinkablePolicies;
use crate::web::section::Section;
use crate::web::view::View;
use crate::web::{link, parts};

/// How many tasks of the same request are shown.
const RELATED: u32 = 11;

/// What was typed into a form of the page, and what is wrong with it.
pub(super) struct Wrong {
    pub(super) typed: String,
    pub(super) problem: String,
}

/// One task.
pub(super) async fn show(
    view: View,
    Ask(api): Ask,
    State(app): State<App>,
    Id(id): Id,
) -> Result<Response, Problem> {
    page(&view, &api, &app, id, None).await
}

/// The same, where something may be wrong with what was typed.
pub(super) async fn page(
    view: &View,
    api: &Local,
    app: &App,
    id: TaskId,
    wrong: Option<Wrong>,
) -> Result<Response, Problem> {
    let task = api.task(id).await?.without_secrets(Redactor::installed());
    let mut related = related(api, &task).await?;
    called::learn(app.store(), &mut related).await?;
    let policies = LinkablePolicies::now(api).await?;
    let stood = held::stood(app).await;
    let held = held::back(view, &task, stood.as_deref());
    let shown = Shown { task, related, policies, held, wrong };
    let deed = called::deed(&shown.task);
    let title = format!("{} {}", deed.as_ref().unwrap_or(&shown.task.kind), shown.task.status);
    let status = if shown.wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(view.answer(status, Some(Section::Tasks), &title, &inside(view, &shown, deed.as_deref())))
}

/// What a page has of a task.
struct Shown {
    task: TaskView,
    related: Vec<TaskView>,
    policies: LinkablePolicies,
    held: Option<Markup>,
    wrong: Option<Wrong>,
}

/// What belongs to the same request.
async fn related(api: &Local, task: &TaskView) -> Result<Vec<TaskView>, ApiError> {
    let Some(correlation_id) = task.correlation_id.clone() else {
        return Ok(Vec::new());
    };
    let filter = TaskFilter { correlation_id: Some(correlation_id), ..TaskFilter::default() };
    let page = steadfast_api::PageQuery { limit: RELATED, after: None };
    let mut found = api.rows(&filter, &page).await?.items;
    found.retain(|other| other.id != task.id);
    Ok(found)
}

fn inside(view: &View, shown: &Shown, deed: Option<&str>) -> Markup {
    let Shown { task, related, policies, held, wrong } = shown;
    html! {
        div class="task-head" {
            p class="muted" { a href="/tasks" { "Tasks" } " / " (parts::copyable(&task.id.to_string(), "the id")) }
            div class="page-head" {
                h1 { (deed.unwrap_or(&task.kind)) }
                @if deed.is_some() { span class="tag" { (task.kind) } }
                (parts::status(task.status))
                @if let Some(reason) = task.reason { (parts::reason(reason)) }
                @if view.may_change() { div class="beside" { (actions::actions(view, task, wrong.as_ref())) } }
            }
            @if let Some(problem) = &task.problem { (parts::unreadable(problem)) }
            p class="next" id="next" { (headline::headline(view, task, held.as_ref())) }
        }
        div class="columns task" {
            div class="stack" {
                (parts::panel("Attempts", timeline::timeline(view, task, held.as_ref())))
                (documents(task))
            }
            div class="stack" {
                (facts(view, task))
                (schedule::schedule(task.next.as_deref().unwrap_or_default()))
                (policy(task, policies))
                @if !related.is_empty() {
                    (parts::panel("Of the same request", rows::rows(view, related)))
                }
            }
        }
    }
}

fn facts(view: &View, task: &TaskView) -> Markup {
    let at = |time| parts::at(view.now, time);
    parts::panel(
        "Facts",
        html! {
            dl class="facts" {
                dt { "Queue" } dd { a href=(link::queue(&task.queue)) { (task.queue) } }
                @if let Some(category) = &task.category { dt { "Category" } dd { (category) } }
                @if task.priority != 0 { dt { "Priority" } dd { (task.priority) } }
                dt { "Submitted" } dd { (at(task.submitted_at)) }
                dt { "Due" } dd { (at(task.scheduled_at)) }
                @if let Some(time) = task.last_attempt_at { dt { "Last attempt" } dd { (at(time)) } }
                @if let Some(time) = task.ended_at { dt { "Ended" } dd { (at(time)) } }
                dt { "Expires" } dd { @match task.expires_at { Some(time) => (at(time)), None => "never" } }
                dt { "Attempts" } dd { (task.attempts) @if task.policy.is_some() { " of " (task.max_attempts) } }
                @if task.rate_limit_waits > 0 { dt { "Rate-limit waits" } dd { (task.rate_limit_waits) } }
                @if let Some(lease) = &task.lease {
                    dt { "Worker" } dd { (lease.owner) }
                    dt { "Lease" } dd { "until " (at(lease.until)) ", version " (lease.version) }
                }
                @if let Some(key) = &task.idempotency_key { dt { "Idempotency key" } dd { (parts::copyable(key, "the key")) } }
                @if let Some(id) = &task.correlation_id { dt { "Correlation id" } dd { (parts::copyable(id, "the correlation id")) " " (of_request(id)) } }
                @if view.may_see(Section::Audit) {
                    dt { "Audit" } dd { a href=(link::narrowed("/audit", &[("target", &task.id.to_string())])) { "what was done to it" } }
                }
            }
        },
    )
}

/// What else belongs to the same request.
fn of_request(id: &str) -> Markup {
    let to = |path| link::narrowed(path, &[("correlation_id", id)]);
    html! { a href=(to("/tasks")) { "its tasks" } ", " a href=(to("/sessions")) { "its sessions" } }
}

fn policy(task: &TaskView, policies: &LinkablePolicies) -> Markup {
    let Some(policy) = &task.policy else {
        return html! {};
    };
    let name = policy.id().unwrap_or("its own");
    let beside = html! {
        @if let Some(address) = policies.address(name) { a href=(address) { "As it is now" } }
    };
    let value = serde_json::to_value(policy).unwrap_or(Value::Null);
    parts::panel_with(
        "Policy",
        beside,
        html! {
            dl class="facts" {
                dt { "As of submission" } dd { (name) }
                dt { "Attempts" } dd { (policy.max_attempts()) }
                @if let Some(limit) = policy.max_duration() { dt { "In all at most" } dd { (parts::lasting(limit)) } }
                @if let Some(limit) = policy.attempt_timeout() { dt { "Each at most" } dd { (parts::lasting(limit)) } }
            }
            details class="table" { summary { "All its values" } div class="within" { (parts::document("the policy", &value)) } }
        },
    )
}

fn documents(task: &TaskView) -> Markup {
    html! {
        (parts::panel("Payload", html! { div class="within" { (parts::document("the payload", &task.payload)) } }))
        @if let Some(result) = &task.result {
            (parts::panel("Result", html! { div class="within" { (parts::document("the result", result)) } }))
        }
    }
}
