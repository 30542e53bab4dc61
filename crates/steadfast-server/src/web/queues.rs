//! Queues and workers: what waits where, for how long, and who is at it.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use jiff::Timestamp;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use steadfast_api::{Api, QueueView, WorkerStatus};
use steadfast_store::QueueBacklog;

use super::chosen::Wanted;
use super::done::Done;
use super::parts;
use super::parts::Column::{Number, Text, Unseen};
use super::section::Section;
use super::view::View;
use super::{counted, link, workers};
use crate::app::App;
use crate::extract::{Ask, Operator};
use crate::path_parameters::Named;
use crate::problem::Problem;

/// So many are shown at once. There may be one for each of forty thousand customers.
const SHOWN: usize = 200;

/// Which queues are shown.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
struct Which {
    /// Those that have this in their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Those behind this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl Which {
    /// The first of them, and the last of those if there are more.
    fn of<'q>(&self, queues: &'q [QueueView]) -> (Vec<&'q QueueView>, Option<&'q str>) {
        let is_meant = |queue: &&QueueView| {
            self.name.as_ref().is_none_or(|name| queue.name.contains(name))
                && self.after.as_ref().is_none_or(|after| queue.name > *after)
        };
        let mut meant: Vec<_> = queues.iter().filter(is_meant).take(SHOWN + 1).collect();
        let are_more = meant.len() > SHOWN;
        meant.truncate(SHOWN);
        let last = meant.last().filter(|_| are_more).map(|queue| queue.name.as_str());
        (meant, last)
    }

    fn pager(&self, next: Option<&str>) -> Markup {
        let at = |after: Option<&str>| {
            let which = Self { name: self.name.clone(), after: after.map(str::to_owned) };
            format!("/queues?{}", serde_urlencoded::to_string(which).unwrap_or_default())
        };
        parts::pages(self.after.as_ref().map(|_| at(None)), next.map(|next| at(Some(next))))
    }
}

/// The pages of queues.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/queues", get(list))
        .route("/queues/{name}/pause", post(pause))
        .route("/queues/{name}/resume", post(resume))
}

/// Takes nothing more from a queue.
async fn pause(
    Operator(api): Operator,
    State(app): State<App>,
    Named(queue): Named,
) -> Result<Response, Problem> {
    // It was chosen from a list, and not typed.
    api.pause(&queue, true).await?;
    counted::count_anew(&app).await;
    Ok(Done::Paused.then("/queues"))
}

/// Takes from a queue again.
async fn resume(
    Operator(api): Operator,
    State(app): State<App>,
    Named(queue): Named,
) -> Result<Response, Problem> {
    api.resume(&queue).await?;
    counted::count_anew(&app).await;
    Ok(Done::Resumed.then("/queues"))
}

async fn list(
    view: View,
    Ask(api): Ask,
    State(app): State<App>,
    Wanted(which): Wanted<Which>,
) -> Result<Response, Problem> {
    let told = counted::figures(&app).await?;
    let WorkerStatus { workers, lines, .. } = api.worker_status().await?;
    let inside = html! {
        (parts::head("Queues", html! {}))
        @match &told.seen {
            Some(seen) => { (counted::age(&told)) (waiting(&view, &which, &seen.stats().queues, &lines)) }
            None => (counted::counting()),
        }
        (workers::panel(&view, &workers))
    };
    Ok(view.show(Section::Queues, "Queues", &inside))
}

fn waiting(view: &View, which: &Which, queues: &[QueueView], lines: &[QueueBacklog]) -> Markup {
    let lines = lines.iter().map(|line| (line.queue.as_str(), line)).collect();
    let (shown, next) = which.of(queues);
    html! {
        @if queues.len() > SHOWN || which.name.is_some() { (bar(which)) }
        section class="panel" aria-label="Queues" {
            @if queues.is_empty() { (parts::first_task(view)) }
            @else if shown.is_empty() { (none(which)) }
            @else { (table(view, &shown, &lines)) }
        }
        (which.pager(next))
    }
}

fn bar(which: &Which) -> Markup {
    let name = parts::filter("name", "Name", which.name.as_deref(), "part of a name");
    parts::filter_bar("/queues", which.name.is_some(), None, name)
}

fn none(which: &Which) -> Markup {
    let Some(name) = &which.name else {
        return parts::empty(
            "No queue is behind that one",
            html! { p { a href="/queues" { "See all queues" } } },
        );
    };
    parts::empty(
        "No queue is called like that",
        html! { p { "None has " code { (name) } " in its name. " a href="/queues" { "See all queues" } "." } },
    )
}

fn table(view: &View, queues: &[&QueueView], lines: &BTreeMap<&str, &QueueBacklog>) -> Markup {
    let mut columns = vec![
        Text("Queue"),
        Number("Pending"),
        Number("Running"),
        Number("Scheduled"),
        Text("First in line"),
    ];
    if view.may_change() {
        columns.push(Unseen("Do"));
    }
    parts::table(
        "stacked",
        &columns,
        html! {
            @for queue in queues { (row(view, queue, lines.get(queue.name.as_str()).copied())) }
        },
    )
}

fn row(view: &View, queue: &QueueView, line: Option<&QueueBacklog>) -> Markup {
    let since = line.and_then(|line| line.due_since);
    html! {
        tr id={ "queue-" (queue.name) } data-row {
            td class="wide" {
                a href=(link::queue(&queue.name)) { (queue.name) }
            }
            td class="number" data-label="pending" { (parts::of_queue("pending", &queue.name, queue.pending)) }
            td class="number" data-label="running" { (parts::of_queue("running", &queue.name, line.map_or(0, |line| line.running))) }
            td class="number" data-label="scheduled" { (parts::of_queue("scheduled", &queue.name, queue.scheduled)) }
            td class="when" { (first(view, queue, since)) }
            @if view.may_change() { td class="act" { (act(queue)) } }
        }
    }
}

fn first(view: &View, queue: &QueueView, since: Option<Timestamp>) -> Markup {
    html! {
        @if queue.paused { span class="tag paused" { "paused" } " " }
        @match since {
            Some(since) if queue.paused => { "held back for " (parts::ago(view.now, since)) }
            Some(since) => { "waits for " (parts::ago(view.now, since)) }
            None => span class="muted" { "nobody waits" },
        }
    }
}

fn act(queue: &QueueView) -> Markup {
    let path = link::to("/queues", &queue.name);
    html! {
        @if queue.paused {
            form method="post" action={ (path) "/resume" } {
                button class="button small main" { "Resume" span class="unseen" { " " (queue.name) } }
            }
        } @else {
            form method="post" action={ (path) "/pause" } {
                button class="button small" data-yes="Pause the queue"
                    data-confirm={ "Pause " (queue.name) "? No worker takes a task from it until somebody resumes it. What runs goes on." } {
                    "Pause" span class="unseen" { " " (queue.name) }
                }
            }
        }
    }
}
