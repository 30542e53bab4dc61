//! Submitting a task by hand.
//!
//! What was typed is never lost: whatever is wrong is said at its field, and the rest stays. A
//! form has a key of its own from the start, so one that is sent twice makes one task.

mod fields;
mod typed;

use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use maud::{Markup, html};
use steadfast_api::{Api, ApiError, Local, Preview};
use steadfast_store::TaskId;

use super::schedule;
use crate::extract::Operator;
use crate::problem::Problem;
use crate::query::Query;
use crate::web::form::{Form, is_theirs};
use crate::web::link;
use crate::web::parts;
use crate::web::parts::Column::{Number, Text};
use crate::web::section::Section;
use crate::web::view::View;
use typed::{Typed, Wanted};

/// So many of a task's attempts are shown before it is submitted.
const SHOWN: usize = 10;

/// What a form shows beside its fields.
enum Told {
    Nothing,
    Problem(ApiError),
    Preview(Box<Preview>),
}

/// A form to be filled in. What stands in the address is filled in already.
pub(super) async fn blank(
    view: View,
    Operator(api): Operator,
    Query(mut typed): Query<Typed>,
) -> Result<Response, Problem> {
    if typed.idempotency_key.is_empty() {
        typed.idempotency_key = format!("page-{}", TaskId::fresh());
    }
    answer(&view, &api, StatusCode::OK, &typed, &Told::Nothing).await
}

/// Takes the task, or says what it would do.
pub(super) async fn submit(
    view: View,
    Operator(api): Operator,
    Form(typed): Form<Typed>,
) -> Result<Response, Problem> {
    let outcome = match typed.task() {
        Err(error) => Err(error),
        Ok(task) if typed.wanted == Wanted::Preview => {
            api.preview(task).await.map(|preview| Some(Box::new(preview)))
        }
        Ok(task) => match api.submit(task).await {
            Ok(taken) => {
                return Ok(Redirect::to(&link::task(taken.task.id)).into_response());
            }
            Err(error) => Err(error),
        },
    };
    let (status, told) = match outcome {
        Ok(Some(preview)) => (StatusCode::OK, Told::Preview(preview)),
        Ok(None) => (StatusCode::OK, Told::Nothing),
        Err(error) if is_theirs(&error) => (StatusCode::BAD_REQUEST, Told::Problem(error)),
        Err(error) => return Err(error.into()),
    };
    answer(&view, &api, status, &typed, &told).await
}

async fn answer(
    view: &View,
    api: &Local,
    status: StatusCode,
    typed: &Typed,
    told: &Told,
) -> Result<Response, Problem> {
    let policies = api.policies().await?;
    let names: Vec<&str> = policies
        .policies
        .iter()
        .chain(&policies.ready_made)
        .filter_map(|policy| policy.id())
        .collect();
    let problem = match told {
        Told::Problem(error) => Some(error),
        Told::Nothing | Told::Preview(_) => None,
    };
    let inside = html! {
        (parts::head("New task", html! {}))
        @if let Some(error) = problem { p class="form-problem" role="alert" { (error) } }
        div class="columns new" data-still {
            (fields::form(typed, &names, problem))
            @if let Told::Preview(preview) = told {
                div class="stack" {
                    (table(view, preview))
                    (schedule::schedule(&preview.next))
                }
            }
        }
    };
    Ok(view.answer(status, Some(Section::Tasks), "New task", &inside))
}

/// What it would do, if every attempt failed.
fn table(view: &View, preview: &Preview) -> Markup {
    let columns = [Number("Attempt"), Text("Earliest"), Text("Latest")];
    let rows = html! {
        @for next in preview.next.iter().take(SHOWN) {
            tr {
                td class="number" { (next.attempt) }
                td { (parts::at(view.now, next.earliest)) }
                td class="wide" { (parts::at(view.now, next.latest)) }
            }
        }
    };
    parts::panel(
        "What it would do",
        html! {
            @if let Some(reason) = preview.reason {
                p class="within" { "It would not be tried at all: " (parts::reason(reason)) }
            }
            (parts::table("", &columns, rows))
            @let more = preview.next.len().saturating_sub(SHOWN) as u64 + u64::from(preview.and_more);
            @if more > 0 {
                p class="within muted" { "and " (parts::count(more)) " more, if all of them fail" }
            }
        },
    )
}
