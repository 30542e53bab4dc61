//! The workers panel: load, queues and liveness of each worker.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_api::WorkerView;
use steadfast_store::Status;

use super::View;
use super::parts::{self, Number, Text};

const MAX_LISTED_QUEUES: usize = 5;

pub(super) fn panel(view: &View, workers: &[WorkerView]) -> Markup {
    let content = match workers {
        [] => empty(view),
        workers => table(view, workers),
    };
    let tasks: u64 = workers.iter().map(|worker| worker.running).sum();
    let link = html! { @if tasks > 0 { a href="/tasks?status=running" { (parts::count(tasks)) " running" } } };
    parts::panel_with("Workers", link, content)
}

fn empty(view: &View) -> Markup {
    let store = view.store().unwrap_or("STORE");
    let claim = "{\"worker\": \"w1\", \"limit\": 10}";
    let instructions = html! {
        p { "No worker has reported in the last ten minutes, so pending tasks are not running. Start this server without " code { "--no-worker" } ", or start another one on the same store:" }
        (parts::command(&format!("steadfast serve --store '{store}' --listen 127.0.0.1:7701")))
        p { "Or run tasks in your own program: in Rust with " code { "Worker::new(store)" } ", in any language by claiming tasks over HTTP:" }
        (parts::token_note(view))
        (parts::curl(view, "/claims", claim))
    };
    parts::empty("No workers", instructions)
}

fn table(view: &View, workers: &[WorkerView]) -> Markup {
    let columns = [Text("Worker"), Number("Running"), Text("Queues"), Text("Last seen")];
    parts::table("stacked", &columns, workers.iter().map(|worker| row(view, worker)))
}

/// The instance, if it differs from the name.
fn instance(worker: &WorkerView) -> Option<&str> {
    worker.instance.as_deref().filter(|instance| *instance != worker.name)
}

pub(super) fn row_id(worker: &WorkerView) -> String {
    match instance(worker) {
        Some(instance) => format!("worker-{}-{instance}", worker.name),
        None => format!("worker-{}", worker.name),
    }
}

fn row(view: &View, worker: &WorkerView) -> Markup {
    let instance = instance(worker);
    html! {
        tr id=(row_id(worker)) data-row {
            td class="wide" {
                (worker.name)
                @if let Some(instance) = instance { " " span class="muted" { "on " (instance) } }
                @if worker.instance.is_none() && worker.seen_at.is_some() { " " span class="muted" { "over HTTP" } }
            }
            td class="number" data-label="running" {
                (parts::count(worker.running))
                @if let Some(max) = worker.concurrency { span class="muted" { " of " (parts::count(max.into())) } }
            }
            td data-label="queues" { (queues(worker)) }
            td class="when" data-label="last seen" { (last_seen(view.now, worker)) }
        }
    }
}

fn queues(worker: &WorkerView) -> Markup {
    let Some(queues) = worker.queues.as_deref() else {
        let all = if worker.seen_at.is_some() { "all" } else { "–" };
        return html! { span class="muted" { (all) } };
    };
    let more = queues.len().saturating_sub(MAX_LISTED_QUEUES);
    html! {
        @for queue in queues.iter().take(MAX_LISTED_QUEUES) { span class="tag" { (queue) } " " }
        @if more > 0 { span class="muted" { "and " (more) " more" } }
    }
}

/// The last report, or the end of the lease. Only the age of a silent worker counts up by itself:
/// the page reloads when a worker falls silent, not on every heartbeat.
fn last_seen(now: Timestamp, worker: &WorkerView) -> Markup {
    html! {
        @match worker.seen_at {
            Some(at) if worker.silent => {
                (parts::badge(Status::Failed, "not reporting"))
                ", last seen " (parts::at(now, at))
            }
            Some(at) => time datetime=(at) { (parts::span(at, now)) " ago" },
            None => {}
        }
        @if let Some(until) = worker.lease_until.filter(|_| worker.silent || worker.seen_at.is_none()) {
            @if worker.seen_at.is_some() { ", " }
            (lease(now, until))
        }
    }
}

fn lease(now: Timestamp, until: Timestamp) -> Markup {
    html! {
        @if until < now {
            (parts::badge(Status::Failed, html! { "lease expired " (parts::at(now, until)) }))
            span class="muted" { ", its tasks are reclaimed" }
        } @else { "lease expires " (parts::at(now, until)) span class="muted" { " unless extended" } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rendered(changes: Value) -> String {
        let mut worker = json!({
            "name": "w1", "instance": "host", "queues": null, "concurrency": 100, "running": 3,
            "seen_at": "2026-01-29T11:58:00Z", "lease_until": null, "silent": false,
        });
        worker.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let now = "2026-01-29T12:00:00Z".parse().unwrap();
        last_seen(now, &serde_json::from_value(worker).unwrap()).into_string()
    }

    /// H2: a silent worker is marked, with its last report and the state of its lease.
    #[test]
    fn silent_worker_is_marked() {
        let silent = rendered(json!({"silent": true, "lease_until": "2026-01-29T11:59:00Z"}));
        assert!(silent.contains("</svg>not reporting</span>, last seen <time"), "{silent}");
        assert!(silent.contains("lease expired") && silent.contains("are reclaimed"), "{silent}");
        let reporting = rendered(json!({"lease_until": "2026-01-29T12:08:00Z"}));
        assert_eq!(reporting, "<time datetime=\"2026-01-29T11:58:00Z\">2 min ago</time>");
    }
}
