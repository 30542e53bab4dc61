//! The queues page: backlog and controls of each queue, and the workers.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use jiff::Timestamp;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use steadfast_api::{Api, QueueInfo, WorkerStatus};
use steadfast_store::QueueBacklog;

use super::parts::{self, Number, Text, VisuallyHidden};
use super::{Flash, PageParams, PageResult, Section, View, link, store_counts, workers};
use crate::app::App;
use crate::auth::{Operator, Viewer};
use crate::http::PathName;

/// Queues per page. A store may have one queue per customer.
const PAGE_SIZE: usize = 200;

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
struct QueueQuery {
    /// Queues whose name contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl QueueQuery {
    /// The queues of this page, and the last of them if there are more.
    fn page<'q>(&self, queues: &'q [QueueInfo]) -> (Vec<&'q QueueInfo>, Option<&'q str>) {
        let matches = |queue: &&QueueInfo| {
            self.name.as_ref().is_none_or(|name| queue.name.contains(name))
                && self.after.as_ref().is_none_or(|after| queue.name > *after)
        };
        let mut page: Vec<_> = queues.iter().filter(matches).take(PAGE_SIZE + 1).collect();
        let has_more = page.len() > PAGE_SIZE;
        page.truncate(PAGE_SIZE);
        let last = page.last().filter(|_| has_more).map(|queue| queue.name.as_str());
        (page, last)
    }

    fn pager(&self, next: Option<&str>) -> Markup {
        let url = |after: Option<&str>| {
            let query = Self { name: self.name.clone(), after: after.map(str::to_owned) };
            format!("/queues?{}", serde_urlencoded::to_string(query).unwrap_or_default())
        };
        parts::pages(self.after.as_ref().map(|_| url(None)), next.map(|next| url(Some(next))))
    }
}

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/queues", get(list))
        .route("/queues/{name}/pause", post(pause))
        .route("/queues/{name}/resume", post(resume))
}

async fn pause(
    Operator(api): Operator,
    State(app): State<App>,
    PathName(queue): PathName,
) -> PageResult {
    // `true` skips the existence check: the button names a listed queue.
    api.pause(&queue, true).await?;
    store_counts::refresh(&app).await;
    Ok(Flash::PAUSED.redirect("/queues"))
}

async fn resume(
    Operator(api): Operator,
    State(app): State<App>,
    PathName(queue): PathName,
) -> PageResult {
    api.resume(&queue).await?;
    store_counts::refresh(&app).await;
    Ok(Flash::RESUMED.redirect("/queues"))
}

async fn list(
    view: View,
    Viewer(api): Viewer,
    PageParams(query): PageParams<QueueQuery>,
) -> PageResult {
    let counts = store_counts::load(&view.app).await?;
    let WorkerStatus { workers, backlogs: lines, .. } = api.worker_status().await?;
    let content = html! {
        (parts::head("Queues", html! {}))
        @match &counts.value {
            Some(snapshot) => { (store_counts::age(&counts)) (queues(&view, &query, &snapshot.stats().queues, &lines)) }
            None => (store_counts::loading()),
        }
        (workers::panel(&view, &workers))
    };
    Ok(view.show(Section::QUEUES, "Queues", &content))
}

fn queues(
    view: &View,
    query: &QueueQuery,
    queues: &[QueueInfo],
    backlogs: &[QueueBacklog],
) -> Markup {
    let backlogs = backlogs.iter().map(|backlog| (backlog.queue.as_str(), backlog)).collect();
    let (shown, next) = query.page(queues);
    html! {
        @if queues.len() > PAGE_SIZE || query.name.is_some() { (bar(query)) }
        section class="panel" aria-label="Queues" {
            @if queues.is_empty() { (parts::first_task(view)) }
            @else if shown.is_empty() { (no_matches(query)) }
            @else { (table(view, &shown, &backlogs)) }
        }
        (query.pager(next))
    }
}

fn bar(query: &QueueQuery) -> Markup {
    let name = parts::filter("name", "Name", query.name.as_deref(), "part of a name");
    parts::filter_bar("/queues", query.name.is_some(), None, name)
}

fn no_matches(query: &QueueQuery) -> Markup {
    let Some(name) = &query.name else {
        return parts::empty(
            "No more queues",
            html! { p { a href="/queues" { "View all queues" } } },
        );
    };
    parts::empty(
        "No matching queues",
        html! { p { "No queue name contains " code { (name) } ". " a href="/queues" { "View all queues" } } },
    )
}

fn table(view: &View, queues: &[&QueueInfo], backlogs: &BTreeMap<&str, &QueueBacklog>) -> Markup {
    let mut columns = vec![Text("Queue")];
    columns.extend(["Pending", "Running", "Scheduled"].map(Number));
    columns.push(Text("Oldest pending task"));
    if view.can_operate() {
        columns.push(VisuallyHidden("Actions"));
    }
    let row = |queue: &&QueueInfo| row(view, queue, backlogs.get(queue.name.as_str()).copied());
    parts::table("stacked", &columns, queues.iter().map(row))
}

fn row(view: &View, queue: &QueueInfo, backlog: Option<&QueueBacklog>) -> Markup {
    let since = backlog.and_then(|backlog| backlog.due_since);
    html! {
        tr id={ "queue-" (queue.name) } data-row {
            td class="wide" {
                a href=(link::queue(&queue.name)) { (queue.name) }
            }
            td class="number" data-label="pending" { (parts::queue_count("pending", &queue.name, queue.pending)) }
            td class="number" data-label="running" { (parts::queue_count("running", &queue.name, backlog.map_or(0, |backlog| backlog.running))) }
            td class="number" data-label="scheduled" { (parts::queue_count("scheduled", &queue.name, queue.scheduled)) }
            td class="when" { (oldest(view, queue, since)) }
            @if view.can_operate() { td class="act" { (button(queue)) } }
        }
    }
}

fn oldest(view: &View, queue: &QueueInfo, since: Option<Timestamp>) -> Markup {
    html! {
        @if queue.paused { span class="tag paused" { "paused" } " " }
        @match since {
            Some(since) => { "waiting for " (parts::ago(view.now, since)) }
            None => span class="muted" { "none" },
        }
    }
}

fn button(queue: &QueueInfo) -> Markup {
    let name = &queue.name;
    let label = |action: &str| html! { (action) span class="visually-hidden" { " " (name) } };
    let path = link::to("/queues", name);
    if queue.paused {
        let url = format!("{path}/resume");
        return parts::post_button(&url, "button small main", label("Resume"), None);
    }
    let question = format!(
        "Pause {name}? Workers stop claiming its tasks until it is resumed. Running tasks continue."
    );
    let confirm = Some(("Pause queue", question.as_str()));
    parts::post_button(&format!("{path}/pause"), "button small", label("Pause"), confirm)
}
