//! Starting an execution by hand.
//!
//! What was typed is never lost: whatever is wrong is said at its field. A form has a key of its
//! own from the start, so one that is sent twice starts one execution.

use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use steadfast_api::{Api, ApiError, NewExecution, from_json};
use steadfast_store::ExecutionId;

use super::show::answer;
use crate::extract::Operator;
use crate::path_parameters::Number;
use crate::problem::Problem;
use crate::web::form::{Form, is_theirs};
use crate::web::link;
use crate::web::parts::Field;
use crate::web::view::View;

/// A form as it was filled in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Typed {
    trigger: String,
    key: String,
}

impl Typed {
    /// One that nobody has filled in.
    pub(super) fn fresh() -> Self {
        Self { trigger: String::new(), key: format!("page-{}", ExecutionId::fresh()) }
    }

    /// The execution that it means. Nothing typed is nothing given.
    fn execution(&self) -> Result<NewExecution, ApiError> {
        let (trigger, key) = (self.trigger.trim(), self.key.trim());
        let trigger = match trigger.is_empty() {
            true => Value::Null,
            false => from_json(trigger, "JSON").map_err(no_json)?,
        };
        Ok(NewExecution { trigger, key: (!key.is_empty()).then(|| key.to_owned()) })
    }
}

fn no_json(error: ApiError) -> ApiError {
    error.field("trigger").next("write JSON, such as {\"user\": \"ada\"} or \"ada\"")
}

/// Starts it, or says what is wrong.
pub(super) async fn start(
    view: View,
    Operator(api): Operator,
    Number(id): Number,
    Form(typed): Form<Typed>,
) -> Result<Response, Problem> {
    let started = match typed.execution() {
        Ok(new) => api.start_execution(id, new).await,
        Err(error) => Err(error),
    };
    match started {
        Ok(started) => Ok(Redirect::to(&link::execution(started.execution.id)).into_response()),
        Err(error) if is_theirs(&error) => answer(&view, &api, id, &typed, Some(&error)).await,
        Err(error) => Err(error.into()),
    }
}

/// The form. It stays as it is while the rest of the page is live.
pub(super) fn form(id: i64, typed: &Typed, problem: Option<&ApiError>) -> Markup {
    let wrong = problem.and_then(|error| error.field.as_deref());
    let detail = problem.map(|error| error.detail.as_str());
    let field = |field: Field<'_>| {
        let problem = detail.filter(|_| wrong == Some(field.name));
        Field { problem, ..field }.show()
    };
    let trigger = Field {
        name: "trigger",
        label: "Trigger",
        value: &typed.trigger,
        example: "{\"user\": \"ada\"}",
        help: "JSON that its nodes refer to. Empty: null.",
        lines: 6,
        ..Field::default()
    };
    let key = Field {
        name: "key",
        label: "Key",
        value: &typed.key,
        help: "Sent twice, it is one execution.",
        ..Field::default()
    };
    html! {
        form class="panel new-task" method="post" action=(link::workflow(id)) data-keep novalidate {
            div class="panel-head" { h2 { "Start an execution" } }
            div class="within" {
                @if let Some(error) = problem { p class="form-problem" role="alert" { (error) } }
                (field(trigger))
                (field(key))
                div class="ways" { button class="button main" { "Start" } }
            }
        }
    }
}
