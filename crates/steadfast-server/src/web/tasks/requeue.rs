//! Requeueing many finished tasks: a preview of their number, then the action (D16).

use http::StatusCode;
use maud::html;
use serde::Deserialize;
use steadfast_api::{Api, ApiError, ErrorKind, Local, RequeueMany, Requeued, TaskFilter};
use steadfast_store::{InputError, Status};

use super::field_error;
use super::filter::TaskQuery;
use super::show::InvalidInput;
use crate::auth::Operator;
use crate::web::{Flash, Form, PageResult, Section, View, parts};

/// Tasks per second by default, so that a service that has just recovered is not overloaded.
const DEFAULT_RATE: f64 = 10.0;

/// The form with the number of matching tasks.
pub(super) async fn preview(
    view: View,
    Operator(api): Operator,
    TaskQuery { filter, .. }: TaskQuery,
) -> PageResult {
    if filter.status.is_none() {
        // The API's own advice is about its JSON.
        let error = ApiError::new(ErrorKind::Invalid, "choose a status first");
        let next = "filter the tasks by failed, cancelled or completed, then requeue them";
        return Err(error.next(next).into());
    }
    page(&view, &api, filter, None).await
}

/// The form, with the error of an invalid rate.
async fn page(
    view: &View,
    api: &Local,
    filter: TaskFilter,
    invalid: Option<&InvalidInput>,
) -> PageResult {
    let rate = Some(DEFAULT_RATE);
    let request = RequeueMany { filter, rate, dry_run: true, ..RequeueMany::default() };
    let dry_run = api.requeue_all(&request).await?;
    let default_rate = DEFAULT_RATE.to_string();
    let query = serde_urlencoded::to_string(&request.filter).unwrap_or_default();
    let content = html! {
        (parts::head("Requeue tasks", html! {}))
        section class="panel" {
            div class="panel-body requeue" data-no-refresh {
                p class="summary" {
                    strong { (parts::count(dry_run.count)) } " "
                    @if dry_run.count == 1 { "task" } @else { "tasks" } " "
                    a href={ "/tasks?" (query) } { (describe(&request.filter)) }
                    " will be requeued."
                }
                @if dry_run.count > 0 {
                    form method="post" action="/tasks/requeue" {
                        (parts::hidden("filter", &query))
                        (parts::Field {
                            name: "rate", label: "Max tasks per second",
                            value: invalid.map_or(default_rate.as_str(), |input| input.value.as_str()),
                            problem: invalid.map(|input| input.problem.as_str()),
                            help: "Spreads the load. Leave empty to requeue all at once.",
                            ..parts::Field::default()
                        }.show())
                        (parts::choice("count", "Attempts", "fresh", [
                            ("fresh", "reset the count"), ("kept", "one more attempt each"),
                        ]))
                        p class="muted" { "At " (DEFAULT_RATE) " tasks per second this takes " (parts::duration(dry_run.over)) "." }
                        div class="buttons" {
                            button class="button main" { "Requeue " (parts::pluralize(dry_run.count, "task")) }
                            a class="button" href={ "/tasks?" (query) } { "Cancel" }
                        }
                    }
                }
            }
        }
    };
    let status = if invalid.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(view.answer(status, Some(Section::TASKS), "Requeue tasks", &content))
}

#[derive(Debug, Deserialize)]
pub(super) struct RequeueForm {
    filter: String,
    #[serde(default)]
    rate: String,
    #[serde(default)]
    count: String,
}

pub(super) async fn requeue(
    view: View,
    Operator(api): Operator,
    Form(form): Form<RequeueForm>,
) -> PageResult {
    let TaskQuery { filter, .. } = TaskQuery::read(&form.filter)?;
    let fresh = form.count != "kept";
    let request = RequeueMany { filter, fresh, ..RequeueMany::default() };
    let result = match rate(&form.rate) {
        Ok(rate) => api.requeue_all(&RequeueMany { rate, ..request.clone() }).await,
        Err(error) => Err(error),
    };
    let Requeued { count, over, .. } = match result {
        Err(error) if is_rate_error(&error) => {
            let input = InvalidInput { value: form.rate, problem: field_error(&error) };
            return page(&view, &api, request.filter, Some(&input)).await;
        }
        result => result?,
    };
    let requeued = TaskFilter { status: None, ended_after: None, ..request.filter };
    let query = serde_urlencoded::to_string(requeued).unwrap_or_default();
    Ok(Flash::RequeuedAll(count, over.as_secs()).redirect(&format!("/tasks?{query}")))
}

/// Tasks per second; empty is unlimited.
fn rate(value: &str) -> Result<Option<f64>, ApiError> {
    let text = value.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let problem = || format!("`{text}` is not a number; enter tasks per second, or leave it empty");
    text.parse().map(Some).map_err(|_| InputError::new("rate", problem()).into())
}

fn is_rate_error(error: &ApiError) -> bool {
    error.kind == ErrorKind::Invalid && error.field.as_deref() == Some("rate")
}

fn describe(filter: &TaskFilter) -> String {
    let mut terms = Vec::new();
    terms.extend(filter.status.map(|status| match status {
        Status::Cancelled => "that were cancelled".to_owned(),
        status => format!("that {status}"),
    }));
    let named = [
        ("in queue", &filter.queue),
        ("of kind", &filter.kind),
        ("of category", &filter.category),
        ("with correlation ID", &filter.correlation_id),
    ];
    terms.extend(
        named.into_iter().filter_map(|(label, name)| Some(format!("{label} {}", name.as_ref()?))),
    );
    let times = [("submitted", filter.submitted_after), ("finished", filter.ended_after)];
    terms.extend(
        times.into_iter().filter_map(|(label, time)| Some(format!("{label} after {}", time?))),
    );
    terms.extend(filter.class.map(|class| format!("whose last error was {}", class.name())));
    if terms.is_empty() { "that finished".to_owned() } else { terms.join(", ") }
}
