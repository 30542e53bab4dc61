//! The fields of the form.

use maud::{Markup, html};
use steadfast_api::ApiError;

use super::typed::Typed;
use crate::web::parts::{self, Field, Tab};
use crate::web::tasks::in_short;

/// The form, as far as it was filled in.
pub(super) fn form(typed: &Typed, policies: &[&str], problem: Option<&ApiError>) -> Markup {
    let told = problem.map(in_short);
    let wrong = problem.and_then(|error| error.field.as_deref());
    let wrong = wrong.map(|field| field.split('.').next().unwrap_or(field));
    let field = |field: Field<'_>| {
        let problem = told.as_deref().filter(|_| wrong == Some(field.name));
        Field { problem, ..field }.show()
    };
    html! {
        form class="panel new-task" method="post" action="/tasks/new" novalidate {
            (kinds(typed))
            div class="within" {
                @if typed.is_http() { (call(typed, &field)) } @else { (other(typed, &field)) }
                (usual(typed, policies, &field))
                details class="filter" open[has_more(typed, wrong)] {
                    summary { "More" }
                    div class="fields" { (more(typed, &field)) }
                }
                div class="ways" {
                    button class="button main" name="wanted" value="submit" { "Submit" }
                    button class="button" name="wanted" value="preview" { "Preview the schedule" }
                }
            }
        }
    }
}

fn kinds(typed: &Typed) -> Markup {
    let tab = |address: &str, is_current, words: &str| Tab {
        address: address.to_owned(),
        is_current,
        shows: html! { (words) },
    };
    parts::tabs(
        "What kind of task",
        [
            tab("/tasks/new", typed.is_http(), "HTTP call"),
            tab("/tasks/new?kind=send-invoice", !typed.is_http(), "Other kind"),
        ],
    )
}

fn call(typed: &Typed, field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].map(|method| (method, method));
    html! {
        (parts::hidden("kind", "http"))
        div class="call" {
            (parts::choice("method", "Method", &typed.method, methods))
            (field(Field { name: "url", label: "URL", value: &typed.url, example: "https://api.example.com/hook", required: true, ..Field::default() }))
        }
        (field(Field { name: "headers", label: "Headers", value: &typed.headers, example: "Content-Type: application/json", lines: 2, help: "One a line.", ..Field::default() }))
        (field(Field { name: "body", label: "Body", value: &typed.body, lines: 4, ..Field::default() }))
    }
}

fn other(typed: &Typed, field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    html! {
        (field(Field { name: "kind", label: "Kind", value: &typed.kind, help: "The name of its handler.", required: true, ..Field::default() }))
        (field(Field { name: "payload", label: "Payload", value: &typed.payload, example: "{\"order\": 41}", lines: 8, help: "JSON.", required: true, ..Field::default() }))
    }
}

fn usual(typed: &Typed, policies: &[&str], field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    let names = policies.iter().map(|name| (*name, *name));
    let options =
        std::iter::once(("", "default")).chain(names.filter(|(name, _)| *name != "default"));
    html! {
        div class="fields" {
            (parts::choice("policy", "Policy", &typed.policy, options))
            (field(Field { name: "queue", label: "Queue", value: &typed.queue, example: "default", ..Field::default() }))
            (field(Field { name: "run_at", label: "Not before", value: &typed.run_at, example: "now", help: "A time, or 2h, 7d.", ..Field::default() }))
        }
    }
}

fn more(typed: &Typed, field: &impl Fn(Field<'_>) -> Markup) -> Markup {
    html! {
        (field(Field { name: "expires_at", label: "Expires", value: &typed.expires_at, example: "never", ..Field::default() }))
        (field(Field { name: "category", label: "Category", value: &typed.category, ..Field::default() }))
        (field(Field { name: "priority", label: "Priority", value: &typed.priority, example: "0", ..Field::default() }))
        (field(Field { name: "correlation_id", label: "Correlation id", value: &typed.correlation_id, ..Field::default() }))
        (field(Field { name: "idempotency_key", label: "Idempotency key", value: &typed.idempotency_key, help: "Sent twice, it is one task.", ..Field::default() }))
    }
}

/// Whether something is filled in there, or wrong.
fn has_more(typed: &Typed, wrong: Option<&str>) -> bool {
    let filled = [&typed.expires_at, &typed.category, &typed.priority, &typed.correlation_id];
    let names = ["expires_at", "category", "priority", "correlation_id", "idempotency_key"];
    filled.iter().any(|text| !text.is_empty()) || wrong.is_some_and(|field| names.contains(&field))
}
