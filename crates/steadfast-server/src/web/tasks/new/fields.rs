//! The fields of the new task form.

use maud::{Markup, html};
use steadfast_api::ApiError;

use super::task_form::TaskForm;
use crate::web::parts::{self, Field, Tab};
use crate::web::tasks::field_error;

pub(super) fn form(values: &TaskForm, policies: &[&str], problem: Option<&ApiError>) -> Markup {
    let message = problem.map(field_error);
    let invalid = problem.and_then(|error| error.field.as_deref());
    let invalid = invalid.map(|field| field.split('.').next().unwrap_or(field));
    let field = |field: Field<'_>| {
        let problem = message.as_deref().filter(|_| invalid == Some(field.name));
        Field { problem, ..field }.show()
    };
    html! {
        form class="panel new-task" method="post" action="/tasks/new" novalidate {
            (kinds(values))
            div class="panel-body" {
                @if values.is_http() { (http_fields(values, &field)) } @else { (payload_fields(values, &field)) }
                (common_fields(values, policies, &field))
                details class="filter" open[has_optional(values, invalid)] {
                    summary { "More options" }
                    div class="fields" { (optional_fields(values, &field)) }
                }
                div class="buttons" {
                    button class="button main" name="action" value="submit" { "Submit" }
                    button class="button" name="action" value="preview" { "Preview schedule" }
                }
            }
        }
    }
}

fn kinds(values: &TaskForm) -> Markup {
    let tab = |url: &str, is_current, label: &str| Tab {
        url: url.to_owned(),
        is_current,
        label: html! { (label) },
    };
    parts::tabs(
        "Task kind",
        [
            tab("/tasks/new", values.is_http(), "HTTP request"),
            tab("/tasks/new?kind=send-invoice", !values.is_http(), "Other kind"),
        ],
    )
}

fn http_fields(values: &TaskForm, field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].map(|method| (method, method));
    html! {
        (parts::hidden("kind", "http"))
        div class="http-request" {
            (parts::choice("method", "Method", &values.method, methods))
            (field(Field { name: "url", label: "URL", value: &values.url, placeholder: "https://api.example.com/hook", required: true, ..Field::default() }))
        }
        (field(Field { name: "headers", label: "Headers", value: &values.headers, placeholder: "Content-Type: application/json", lines: 2, help: "One per line.", ..Field::default() }))
        (field(Field { name: "body", label: "Body", value: &values.body, lines: 4, ..Field::default() }))
    }
}

fn payload_fields(values: &TaskForm, field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    html! {
        (field(Field { name: "kind", label: "Kind", value: &values.kind, help: "The handler name.", required: true, ..Field::default() }))
        (field(Field { name: "payload", label: "Payload", value: &values.payload, placeholder: "{\"order\": 41}", lines: 8, help: "JSON.", required: true, ..Field::default() }))
    }
}

fn common_fields(
    values: &TaskForm,
    policies: &[&str],
    field: &impl Fn(Field<'_>) -> Markup,
) -> Markup {
    let names = policies.iter().map(|name| (*name, *name));
    let options =
        std::iter::once(("", "default")).chain(names.filter(|(name, _)| *name != "default"));
    html! {
        div class="fields" {
            (parts::choice("policy", "Policy", &values.policy, options))
            (field(Field { name: "queue", label: "Queue", value: &values.queue, placeholder: "default", ..Field::default() }))
            (field(Field { name: "run_at", label: "Run at", value: &values.run_at, placeholder: "now", help: "A time or a delay such as 2h or 7d.", ..Field::default() }))
        }
    }
}

fn optional_fields(values: &TaskForm, field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    html! {
        (field(Field { name: "expires_at", label: "Expires at", value: &values.expires_at, placeholder: "never", ..Field::default() }))
        (field(Field { name: "category", label: "Category", value: &values.category, ..Field::default() }))
        (field(Field { name: "priority", label: "Priority", value: &values.priority, placeholder: "0", ..Field::default() }))
        (field(Field { name: "correlation_id", label: "Correlation ID", value: &values.correlation_id, ..Field::default() }))
        (field(Field { name: "idempotency_key", label: "Idempotency key", value: &values.idempotency_key, help: "Submitting the same key twice creates one task.", ..Field::default() }))
    }
}

/// Whether an optional field has a value or an error.
fn has_optional(values: &TaskForm, invalid: Option<&str>) -> bool {
    let filled = [&values.expires_at, &values.category, &values.priority, &values.correlation_id];
    let names = ["expires_at", "category", "priority", "correlation_id", "idempotency_key"];
    filled.iter().any(|text| !text.is_empty())
        || invalid.is_some_and(|field| names.contains(&field))
}
