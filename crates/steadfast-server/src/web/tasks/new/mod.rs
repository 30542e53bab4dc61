//! The new task form.
//!
//! An invalid value is reported at its field, and all values are kept. Each form starts with its own
//! idempotency key, so that submitting it twice creates one task.

mod fields;
mod task_form;

use axum::response::{IntoResponse, Redirect};
use http::StatusCode;
use maud::{Markup, html};
use steadfast_api::{Api, ApiError, Local, NextAttempt, Preview, Submission};
use steadfast_store::TaskId;

use super::schedule;
use crate::auth::Operator;
use crate::http::Query;
use crate::payload_check::check_payload;
use crate::web::parts::{self, Number, Text};
use crate::web::{Form, PageResult, Section, View, is_input_error, link};
use task_form::{SubmitAction, TaskForm};

const MAX_PREVIEWED: usize = 10;

/// The empty form. Query parameters prefill its fields.
pub(super) async fn blank(
    view: View,
    Operator(api): Operator,
    Query(mut values): Query<TaskForm>,
) -> PageResult {
    if values.idempotency_key.is_empty() {
        values.idempotency_key = format!("page-{}", TaskId::fresh());
    }
    answer(&view, &api, &values, None, None).await
}

pub(super) async fn submit(
    view: View,
    Operator(api): Operator,
    Form(values): Form<TaskForm>,
) -> PageResult {
    let checked = values.task().and_then(|task| {
        check_payload(&task).map_err(|error| values.at_form_field(error)).map(|()| task)
    });
    let previewed = match checked {
        Ok(task) if values.action == SubmitAction::Preview => api.preview(task).await,
        Ok(task) => match api.submit(task).await {
            Ok(Submission { task, .. }) => {
                return Ok(Redirect::to(&link::task(task.id)).into_response());
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    match previewed {
        Ok(preview) => answer(&view, &api, &values, None, Some(&preview)).await,
        Err(error) if is_input_error(&error) => {
            answer(&view, &api, &values, Some(&error), None).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn answer(
    view: &View,
    api: &Local,
    values: &TaskForm,
    problem: Option<&ApiError>,
    preview: Option<&Preview>,
) -> PageResult {
    let policies = api.policies().await?;
    let policies = policies.policies.iter().chain(&policies.presets);
    let names: Vec<&str> = policies.filter_map(|policy| policy.id()).collect();
    let content = html! {
        (parts::head("New task", html! {}))
        @if let Some(error) = problem { p class="form-problem" role="alert" { (error) } }
        div class="columns new" data-no-refresh {
            (fields::form(values, &names, problem))
            @if let Some(preview) = preview {
                div class="stack" {
                    (table(view, preview))
                    (schedule::schedule(&preview.next))
                }
            }
        }
    };
    let status = if problem.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(view.answer(status, Some(Section::TASKS), "New task", &content))
}

/// The schedule if every attempt fails.
fn table(view: &View, preview: &Preview) -> Markup {
    let columns = [Number("Attempt"), Text("Earliest"), Text("Latest")];
    let row = |next: &NextAttempt| {
        html! {
            tr {
                td class="number" { (next.attempt) }
                td { (parts::from_now_on(view.now, next.earliest)) }
                td class="wide" { (parts::from_now_on(view.now, next.latest)) }
            }
        }
    };
    let content = html! {
        @if let Some(reason) = preview.reason {
            p class="panel-body" { "No attempt would be made: " (parts::reason(reason)) }
        }
        (parts::table("", &columns, preview.next.iter().take(MAX_PREVIEWED).map(row)))
        @let more = preview.next.len().saturating_sub(MAX_PREVIEWED) as u64 + u64::from(preview.and_more);
        @if more > 0 {
            p class="panel-body muted" { "and " (parts::count(more)) " more if every attempt fails" }
        }
    };
    parts::panel("Schedule preview", content)
}
