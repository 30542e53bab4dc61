//! Queues and workers: what waits where, for how long, and who is at it.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_api::{Api, AtWork, QueueView};
use steadfast_store::LineInfo;

use super::done::Done;
use super::parts;
use super::parts::Column::{Number, Text, Unseen};
use super::section::Section;
use super::view::View;
use super::{counted, link, workers};
use crate::app::App;
use crate::ask::{Ask, Operator};
use crate::path_parameters::Named;
use crate::problem::Problem;

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

async fn list(view: View, Ask(api): Ask, State(app): State<App>) -> Result<Response, Problem> {
    let told = counted::figures(&app).await?;
    let AtWork { workers, lines, .. } = api.at_work().await?;
    let inside = html! {
        (parts::head("Queues", html! {}))
        @match &told.seen {
            Some(seen) => { (counted::age(&told)) (waiting(&view, &seen.stats().queues, &lines)) }
            None => (counted::counting()),
        }
        (workers::panel(&view, &workers))
    };
    Ok(view.show(Section::Queues, "Queues", &inside))
}

fn waiting(view: &View, queues: &[QueueView], lines: &[LineInfo]) -> Markup {
    let lines = lines.iter().map(|line| (line.queue.as_str(), line)).collect();
    html! {
        section class="panel" aria-label="Queues" {
            @if queues.is_empty() { (parts::first_task(view)) }
            @else { (table(view, queues, &lines)) }
        }
    }
}

fn table(view: &View, queues: &[QueueView], lines: &BTreeMap<&str, &LineInfo>) -> Markup {
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

fn row(view: &View, queue: &QueueView, line: Option<&LineInfo>) -> Markup {
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
