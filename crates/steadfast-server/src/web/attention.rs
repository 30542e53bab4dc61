//! Alerts at the top of the overview.
//!
//! The counts show how many tasks wait, not why: a paused queue, a missing worker and an invalid
//! policy file look the same in them. Each alert names the cause and links to the page that fixes
//! it. Without a problem the strip is not shown.

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use steadfast_api::{Local, StatsView, WorkerView};

use super::{Icon, View, icon, parts};
use crate::cache::StoreSnapshot;

/// A task that is due for longer than this raises an alert.
const MAX_WAIT: SignedDuration = SignedDuration::from_mins(5);

/// A problem and the link that leads to its fix.
struct Alert {
    message: Markup,
    href: &'static str,
    link: &'static str,
}

pub(super) fn attention(view: &View, api: &Local, snapshot: &StoreSnapshot) -> Markup {
    let stats = &snapshot.stats();
    let (no_workers, paused) = (no_workers(stats, &snapshot.workers), paused(stats));
    // The other two alerts explain a long wait.
    let is_unexplained = no_workers.is_none() && paused.is_none();
    let waiting = is_unexplained.then(|| waiting(view.now, stats)).flatten();
    let alerts = [policies(api), no_workers, silent(&snapshot.workers), paused, waiting];
    let alerts: Vec<_> = alerts.into_iter().flatten().collect();
    html! {
        @if !alerts.is_empty() {
            ul class="attention" aria-label="Alerts" {
                @for Alert { message, href, link } in alerts {
                    li {
                        span class="status" { (icon(Icon::FAILED)) span { (message) } }
                        a href=(href) { (link) }
                    }
                }
            }
        }
    }
}

fn policies(api: &Local) -> Option<Alert> {
    api.policy_problems()?;
    let message =
        html! { "The policy file is invalid; the previous policies stay active until it is fixed" };
    Some(Alert { message, href: "/policies", link: "View errors" })
}

/// Tasks are waiting and no worker reports.
fn no_workers(stats: &StatsView, workers: &[WorkerView]) -> Option<Alert> {
    let tasks = stats.pending + stats.scheduled;
    if tasks == 0 || !workers.is_empty() {
        return None;
    }
    let message =
        html! { "No worker has reported in the last ten minutes: pending tasks are not running" };
    Some(Alert { message, href: "/queues", link: "Start a worker" })
}

fn silent(workers: &[WorkerView]) -> Option<Alert> {
    let silent: Vec<_> = workers.iter().filter(|worker| worker.silent).collect();
    let message = match silent.as_slice() {
        [] => return None,
        [worker] => html! { "Worker " (worker.name) " stopped reporting" },
        silent => html! { (silent.len()) " of " (workers.len()) " workers stopped reporting" },
    };
    Some(Alert { message, href: "/queues", link: "View workers" })
}

/// Paused queues with pending tasks.
fn paused(stats: &StatsView) -> Option<Alert> {
    let queues = stats.queues.iter().filter(|queue| queue.paused && queue.pending > 0);
    let queues: Vec<_> = queues.collect();
    let subject = match queues.as_slice() {
        [] => return None,
        [queue] => format!("Queue {} is paused", queue.name),
        queues => format!("{} queues are paused", queues.len()),
    };
    let tasks: u64 = queues.iter().map(|queue| queue.pending).sum();
    let message = html! { (subject) ": " (parts::pluralize(tasks, "pending task")) };
    Some(Alert { message, href: "/queues", link: "Resume" })
}

/// A task waits for long although workers report and no queue is paused.
fn waiting(now: Timestamp, stats: &StatsView) -> Option<Alert> {
    let since = stats.due_since.filter(|since| now.duration_since(*since) > MAX_WAIT)?;
    let message =
        html! { "The oldest pending task has been waiting for " (parts::ago(now, since)) };
    Some(Alert { message, href: "/tasks?status=pending", link: "View pending tasks" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workers(silent: &[bool]) -> Vec<WorkerView> {
        let worker = |(number, silent)| {
            let worker = json!({"name": format!("w-{number}"), "running": 0, "silent": silent});
            serde_json::from_value(worker).unwrap()
        };
        silent.iter().enumerate().map(worker).collect()
    }

    fn text(alert: Option<Alert>) -> Option<String> {
        alert.map(|alert| alert.message.into_string())
    }

    /// H2, D19: one silent worker is named, several are counted.
    #[test]
    fn silent_workers_raise_an_alert() {
        assert_eq!(text(silent(&workers(&[false, false]))), None);
        let one = text(silent(&workers(&[false, true])));
        assert_eq!(one.as_deref(), Some("Worker w-1 stopped reporting"));
        let two = text(silent(&workers(&[true, false, true])));
        assert_eq!(two.as_deref(), Some("2 of 3 workers stopped reporting"));
    }

    /// H2, D15: only a wait beyond the limit raises an alert.
    #[test]
    fn long_wait_raises_an_alert() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let since = |waited| {
            let stats = json!({
                "pending": 1, "scheduled": 0, "due_in_24_hours": 0, "running": 0, "completed": 0,
                "failed": 0, "cancelled": 0, "queues": [], "due_since": now - waited
            });
            text(waiting(now, &serde_json::from_value(stats).unwrap()))
        };
        assert_eq!(since(MAX_WAIT), None);
        let message = since(SignedDuration::from_mins(7)).unwrap();
        assert!(message.starts_with("The oldest pending task has been waiting for "));
        assert!(message.contains("7 min"));
    }
}
