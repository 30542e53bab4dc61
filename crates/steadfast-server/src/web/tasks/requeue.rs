//! Having many ended tasks tried again: first how many it would be, then for real (D16).

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use steadfast_api::{Api, ApiError, ErrorKind, Local, RequeueMany, Requeued, TaskFilter};
use steadfast_store::Invalid;

use super::chosen::ChosenTasks;
use super::in_short;
use super::show::Wrong;
use crate::extract::Operator;
use crate::problem::Problem;
use crate::web::done::Done;
use crate::web::form::Form;
use crate::web::parts;
use crate::web::section::Section;
use crate::web::view::View;

/// So many a second unless somebody says another number: an outage is over, but only just.
const USUAL_RATE: f64 = 10.0;

/// Where these tasks can be requeued.
pub(super) fn address(filter: &TaskFilter) -> String {
    format!("/tasks/requeue?{}", serde_urlencoded::to_string(filter).unwrap_or_default())
}

/// What it would do.
pub(super) async fn look(
    view: View,
    Operator(api): Operator,
    ChosenTasks { filter, .. }: ChosenTasks,
) -> Result<Response, Problem> {
    page(&view, &api, filter, None).await
}

/// The same, where something may be wrong with the rate that was typed.
async fn page(
    view: &View,
    api: &Local,
    filter: TaskFilter,
    wrong: Option<&Wrong>,
) -> Result<Response, Problem> {
    let rate = Some(USUAL_RATE);
    let which = RequeueMany { filter, rate, dry_run: true, ..RequeueMany::default() };
    let would = api.requeue_all(&which).await?;
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let inside = inside(&which.filter, &would, wrong);
    Ok(view.answer(status, Some(Section::Tasks), "Requeue", &inside))
}

/// Which, and how.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    filter: String,
    #[serde(default)]
    rate: String,
    #[serde(default)]
    count: String,
}

/// Does it, and shows where they are now.
pub(super) async fn requeue(
    view: View,
    Operator(api): Operator,
    Form(wish): Form<Wish>,
) -> Result<Response, Problem> {
    let ChosenTasks { filter, .. } = ChosenTasks::read(&wish.filter)?;
    let fresh = wish.count != "kept";
    let which = RequeueMany { filter, fresh, ..RequeueMany::default() };
    let done = match rate(&wish.rate) {
        Ok(rate) => api.requeue_all(&RequeueMany { rate, ..which.clone() }).await,
        Err(error) => Err(error),
    };
    let Requeued { count, over, .. } = match done {
        Err(error) if is_about_the_rate(&error) => {
            let wrong = Wrong { typed: wish.rate, problem: in_short(&error) };
            return page(&view, &api, which.filter, Some(&wrong)).await;
        }
        done => done?,
    };
    let left = TaskFilter { status: None, ended_after: None, ..which.filter };
    let query = serde_urlencoded::to_string(left).unwrap_or_default();
    Ok(Done::RequeuedAll(count, over.as_secs()).then(&format!("/tasks?{query}")))
}

/// How many a second, if anything is said.
fn rate(typed: &str) -> Result<Option<f64>, ApiError> {
    let text = typed.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let problem = || format!("`{text}` is not a number; say how many a second, or nothing");
    text.parse().map(Some).map_err(|_| Invalid::new("rate", problem()).into())
}

fn is_about_the_rate(error: &ApiError) -> bool {
    error.kind == ErrorKind::Invalid && error.field.as_deref() == Some("rate")
}

fn inside(filter: &TaskFilter, would: &Requeued, wrong: Option<&Wrong>) -> Markup {
    let usual = USUAL_RATE.to_string();
    let chosen = serde_urlencoded::to_string(filter).unwrap_or_default();
    html! {
        (parts::head("Requeue", html! {}))
        section class="panel" {
            div class="within requeue" data-still {
                p class="said" {
                    strong { (parts::count(would.count)) } " "
                    @if would.count == 1 { "task" } @else { "tasks" } " "
                    a href={ "/tasks?" (chosen) } { (described(filter)) }
                    " would be tried again."
                }
                @if would.count > 0 {
                    form method="post" action="/tasks/requeue" {
                        (parts::hidden("filter", &chosen))
                        (parts::Field {
                            name: "rate", label: "At most so many a second",
                            value: wrong.map_or(usual.as_str(), |wrong| wrong.typed.as_str()),
                            problem: wrong.map(|wrong| wrong.problem.as_str()),
                            help: "So that they do not come back as one wave. Empty: all at once.",
                            ..parts::Field::default()
                        }.show())
                        (parts::choice("count", "Attempts", "fresh", [
                            ("fresh", "counted from the start"), ("kept", "one more each"),
                        ]))
                        p class="muted" { "At " (USUAL_RATE) " a second it takes " (parts::lasting(would.over)) "." }
                        div class="ways" {
                            button class="button main" { "Requeue " (parts::count(would.count)) }
                            a class="button" href={ "/tasks?" (chosen) } { "AttemptPermit them" }
                        }
                    }
                }
            }
        }
    }
}

/// The choice in words.
fn described(filter: &TaskFilter) -> String {
    let mut words = Vec::new();
    words.extend(filter.status.map(|status| format!("that {}", ended(status.name()))));
    let named = [
        ("in queue", &filter.queue),
        ("of kind", &filter.kind),
        ("of category", &filter.category),
        ("of request", &filter.correlation_id),
    ];
    words.extend(
        named.into_iter().filter_map(|(word, name)| Some(format!("{word} {}", name.as_ref()?))),
    );
    let times = [("submitted", filter.submitted_after), ("that ended", filter.ended_after)];
    words.extend(
        times.into_iter().filter_map(|(word, time)| Some(format!("{word} after {}", time?))),
    );
    words.extend(filter.class.map(|class| format!("whose last error was {}", class.name())));
    if words.is_empty() { "that ended".to_owned() } else { words.join(", ") }
}

fn ended(status: &str) -> &str {
    match status {
        "cancelled" => "were cancelled",
        other => other,
    }
}
