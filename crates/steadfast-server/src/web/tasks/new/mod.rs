//! The new task form.
//!
//! An invalid value is reported at its field, and all values are kept. Each form starts with its own
//! idempotency key, so that submitting it twice creates one task.

mod fields;
mod task_form;

use axum::response::{IntoResponse, Redirect};
use http::StatusCode;
use maud::{Markup, html};
use steadfast_api::{Api, ApiError, Local, NextAttempt, Preview};
use steadfast_store::TaskId;

use super::schedule;
use crate::auth::Operator;
use crate::http::Query;
use crate::web::parts::{self, Number, Text};
use crate::web::{Form, PageResult, Section, View, is_input_error, link};
use task_form::{SubmitAction, TaskForm};

/// How many attempts the preview lists.
const MAX_PREVIEWED: usize = 10;

/// What the page shows beside the form.
enum Feedback {
    None,
    Problem(ApiError),
    Preview(Box<Preview>),
}

/// The empty form. Query parameters prefill its fields.
pub(super) async fn blank(
    view: View,
    Operator(api): Operator,
    Query(mut values): Query<TaskForm>,
) -> PageResult {
    if values.idempotency_key.is_empty() {
        values.idempotency_key = format!("page-{}", TaskId::fresh());
    }
    answer(&view, &api, StatusCode::OK, &values, &Feedback::None).await
}

/// Submits the task, or previews its schedule.
pub(super) async fn submit(
    view: View,
    Operator(api): Operator,
    Form(values): Form<TaskForm>,
) -> PageResult {
    let outcome = match values.task() {
        Err(error) => Err(error),
        Ok(task) if values.action == SubmitAction::Preview => {
            api.preview(task).await.map(|preview| Some(Box::new(preview)))
        }
        Ok(task) => match api.submit(task).await {
            Ok(submitted) => {
                return Ok(Redirect::to(&link::task(submitted.task.id)).into_response());
            }
            Err(error) => Err(error),
        },
    };
    let (status, feedback) = match outcome {
        Ok(Some(preview)) => (StatusCode::OK, Feedback::Preview(preview)),
        Ok(None) => (StatusCode::OK, Feedback::None),
        Err(error) if is_input_error(&error) => (StatusCode::BAD_REQUEST, Feedback::Problem(error)),
        Err(error) => return Err(error.into()),
    };
    answer(&view, &api, status, &values, &feedback).await
}

async fn answer(
    view: &View,
    api: &Local,
    status: StatusCode,
    values: &TaskForm,
    feedback: &Feedback,
) -> PageResult {
    let policies = api.policies().await?;
    let names: Vec<&str> = policies
        .policies
        .iter()
        .chain(&policies.ready_made)
        .filter_map(|policy| policy.id())
        .collect();
    let problem = match feedback {
        Feedback::Problem(error) => Some(error),
        Feedback::None | Feedback::Preview(_) => None,
    };
    let content = html! {
        (parts::head("New task", html! {}))
        @if let Some(error) = problem { p class="form-problem" role="alert" { (error) } }
        div class="columns new" data-no-refresh {
            (fields::form(values, &names, problem))
            @if let Feedback::Preview(preview) = feedback {
                div class="stack" {
                    (table(view, preview))
                    (schedule::schedule(&preview.next))
                }
            }
        }
    };
    Ok(view.answer(status, Some(Section::TASKS), "New task", &content))
}

/// The schedule if every attempt fails.
fn table(view: &View, preview: &Preview) -> Markup {
    let columns = [Number("Attempt"), Text("Earliest"), Text("Latest")];
    let row = |next: &NextAttempt| {
        html! {
            tr {
                td class="number" { (next.attempt) }
                td { (parts::at(view.now, next.earliest)) }
                td class="wide" { (parts::at(view.now, next.latest)) }
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
