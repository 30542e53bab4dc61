//! The form that starts an execution.
//!
//! An invalid value is reported at its field, and all values are kept. Each form starts with its own
//! key, so that submitting it twice starts one execution.

use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use steadfast_api::{Api, ApiError, NewExecution, from_json};
use steadfast_store::ExecutionId;

use super::show::answer;
use crate::auth::Operator;
use crate::http::PathWorkflowId;
use crate::web::parts::Field;
use crate::web::{Form, PageResult, View, is_input_error, link};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StartForm {
    trigger: String,
    key: String,
}

impl StartForm {
    pub(super) fn fresh() -> Self {
        Self { trigger: String::new(), key: format!("page-{}", ExecutionId::fresh()) }
    }

    /// Converts the form into an execution. An empty trigger is null.
    fn execution(&self) -> Result<NewExecution, ApiError> {
        let (trigger, key) = (self.trigger.trim(), self.key.trim());
        let trigger = match trigger.is_empty() {
            true => Value::Null,
            false => from_json(trigger, "JSON").map_err(|error| {
                error.field("trigger").next("use JSON, such as {\"user\": \"ada\"} or \"ada\"")
            })?,
        };
        Ok(NewExecution { trigger, key: (!key.is_empty()).then(|| key.to_owned()) })
    }
}

pub(super) async fn start(
    view: View,
    Operator(api): Operator,
    PathWorkflowId(id): PathWorkflowId,
    Form(values): Form<StartForm>,
) -> PageResult {
    let started = match values.execution() {
        Ok(new) => api.start_execution(id, new).await,
        Err(error) => Err(error),
    };
    match started {
        Ok(started) => Ok(Redirect::to(&link::execution(started.execution.id)).into_response()),
        Err(error) if is_input_error(&error) => {
            answer(&view, &api, id, &values, Some(&error)).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The form, which live updates leave unchanged.
pub(super) fn form(id: i64, values: &StartForm, problem: Option<&ApiError>) -> Markup {
    let invalid = problem.and_then(|error| error.field.as_deref());
    let detail = problem.map(|error| error.detail.as_str());
    let field = |field: Field<'_>| {
        let problem = detail.filter(|_| invalid == Some(field.name));
        Field { problem, ..field }.show()
    };
    let trigger = Field {
        name: "trigger",
        label: "Trigger",
        value: &values.trigger,
        placeholder: "{\"user\": \"ada\"}",
        help: "JSON that the nodes can refer to. Leave empty for null.",
        lines: 6,
        ..Field::default()
    };
    let key = Field {
        name: "key",
        label: "Key",
        value: &values.key,
        help: "Submitting the same key twice starts one execution.",
        ..Field::default()
    };
    html! {
        form class="panel new-task" method="post" action=(link::workflow(id)) data-preserve novalidate {
            div class="panel-head" { h2 { "Start an execution" } }
            div class="panel-body" {
                @if let Some(error) = problem { p class="form-problem" role="alert" { (error) } }
                (field(trigger))
                (field(key))
                div class="buttons" { button class="button main" { "Start" } }
            }
        }
    }
}
