//! Workers: who is there, what each does, and who went silent.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_api::WorkerView;

use super::icon::{Icon, icon};
use super::parts;
use super::parts::Column::{Number, Text};
use super::view::View;

/// So many queues of a worker are named.
const NAMED: usize = 5;

/// All of them.
pub(super) fn panel(view: &View, workers: &[WorkerView]) -> Markup {
    let within = match workers {
        [] => nobody(view),
        workers => table(view, workers),
    };
    parts::panel_with("Workers", beside(workers), within)
}

fn beside(workers: &[WorkerView]) -> Markup {
    let tasks: u64 = workers.iter().map(|worker| worker.running).sum();
    html! { @if tasks > 0 { a href="/tasks?status=running" { (parts::count(tasks)) " running" } } }
}

/// Nobody works, and how to have somebody do it.
fn nobody(view: &View) -> Markup {
    let store = view.store().unwrap_or("STORE");
    let claim = "{\"worker\": \"w1\", \"limit\": 10}";
    parts::empty(
        "Nobody works",
        html! {
            p { "No worker was heard of in the last ten minutes, so nothing that is due is done. Start this server without " code { "--no-worker" } ", or another one on the same store:" }
            (parts::command(&format!("steadfast serve --store '{store}' --listen 127.0.0.1:7701")))
            p { "Or have a program of your own do it, in Rust with " code { "Worker::new(store)" } ", in any language by claiming tasks:" }
            (parts::token_first(view))
            (parts::curl(view, "/claims", claim))
        },
    )
}

fn table(view: &View, workers: &[WorkerView]) -> Markup {
    let columns = [Text("Worker"), Number("Running"), Text("Queues"), Text("Seen")];
    parts::table("stacked", &columns, html! { @for worker in workers { (row(view, worker)) } })
}

/// Where it is run, if its name does not say that.
fn instance(worker: &WorkerView) -> Option<&str> {
    worker.instance.as_deref().filter(|instance| *instance != worker.name)
}

/// What its row is called on the page.
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
                @if let Some(instance) = instance { " " span class="muted" { "at " (instance) } }
                @if worker.instance.is_none() && worker.seen_at.is_some() { " " span class="muted" { "over HTTP" } }
            }
            td class="number" data-label="running" {
                (parts::count(worker.running))
                @if let Some(most) = worker.concurrency { span class="muted" { " of " (parts::count(most.into())) } }
            }
            td data-label="queues" { (queues(worker)) }
            td class="when" { (seen(view.now, worker)) }
        }
    }
}

fn queues(worker: &WorkerView) -> Markup {
    let Some(queues) = worker.queues.as_deref() else {
        let all = if worker.seen_at.is_some() { "all" } else { "–" };
        return html! { span class="muted" { (all) } };
    };
    let more = queues.len().saturating_sub(NAMED);
    html! {
        @for queue in queues.iter().take(NAMED) { span class="tag" { (queue) } " " }
        @if more > 0 { span class="muted" { "and " (more) " more" } }
    }
}

/// When it was heard of, or until when its tasks are its own. Only who is silent grows older by
/// itself: the page is asked for again when that changes, not whenever somebody says a word.
fn seen(now: Timestamp, worker: &WorkerView) -> Markup {
    html! {
        @match worker.seen_at {
            Some(at) if worker.silent => {
                span class="status failed" { (icon(Icon::Failed)) "silent" }
                " seen " (parts::at(now, at))
            }
            Some(at) => { "seen " time datetime=(at) { (parts::span(at, now)) " ago" } }
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
            span class="status failed" { (icon(Icon::Failed)) "lease ended " (parts::at(now, until)) }
            span class="muted" { ", its tasks come back" }
        } @else { "lease ends " (parts::at(now, until)) span class="muted" { " unless it is kept alive" } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(changes: Value) -> String {
        let mut worker = json!({
            "name": "w1", "instance": "host", "queues": null, "concurrency": 100, "running": 3,
            "seen_at": "2026-01-29T11:58:00Z", "lease_until": null, "silent": false,
        });
        worker.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let now = "2026-01-29T12:00:00Z".parse().unwrap();
        seen(now, &serde_json::from_value(worker).unwrap()).into_string()
    }

    /// H2: who went silent is marked, with when it was heard of and what becomes of its tasks.
    #[test]
    fn who_went_silent_is_marked() {
        let silent = told(json!({"silent": true, "lease_until": "2026-01-29T11:59:00Z"}));
        assert!(silent.contains("</svg>silent</span> seen <time"), "{silent}");
        assert!(silent.contains("lease ended") && silent.contains("tasks come back"), "{silent}");
        let there = told(json!({"lease_until": "2026-01-29T12:08:00Z"}));
        assert_eq!(there, "seen <time datetime=\"2026-01-29T11:58:00Z\">2 min ago</time>");
    }
}
