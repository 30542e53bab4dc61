//! What stops work, said before anything else.
//!
//! Numbers say how much waits, and not why: a queue that somebody paused, a server without a worker
//! and a policy file that nobody could read look the same in them. So what is in the way is said in
//! words, each with the way to where it is put right. Where all is well nothing is said.

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use steadfast_api::{Local, StatsView, WorkerView};

use super::icon::{Icon, icon};
use super::parts;
use super::view::View;
use crate::snapshots::Standing;

/// Who waits for longer waits long.
const LONG: SignedDuration = SignedDuration::from_mins(5);

/// What is wrong, and where it is put right.
struct Trouble {
    words: Markup,
    place: &'static str,
    way: &'static str,
}

/// All that is in the way, if anything.
pub(super) fn attention(view: &View, api: &Local, standing: &Standing) -> Markup {
    let stats = &standing.stats();
    let (nobody, paused) = (nobody(stats, &standing.workers), paused(stats));
    // Otherwise it is said why.
    let is_odd = nobody.is_none() && paused.is_none();
    let waiting = is_odd.then(|| waiting(view.now, stats)).flatten();
    let all = [policies(api), nobody, silent(&standing.workers), paused, waiting];
    let all: Vec<_> = all.into_iter().flatten().collect();
    html! {
        @if !all.is_empty() {
            ul class="attention" aria-label="What is in the way" {
                @for Trouble { words, place, way } in all {
                    li {
                        span class="status" { (icon(Icon::Failed)) span { (words) } }
                        a href=(place) { (way) }
                    }
                }
            }
        }
    }
}

fn policies(api: &Local) -> Option<Trouble> {
    api.policy_problems()?;
    let words = html! { "The policy file cannot be taken as it is: the policies from before it was changed hold" };
    Some(Trouble { words, place: "/policies", way: "What is wrong" })
}

/// Nobody works although there is work.
fn nobody(stats: &StatsView, workers: &[WorkerView]) -> Option<Trouble> {
    let tasks = stats.pending + stats.scheduled;
    if tasks == 0 || !workers.is_empty() {
        return None;
    }
    let words =
        html! { "No worker was heard of in the last ten minutes: nothing that is due is done" };
    Some(Trouble { words, place: "/queues", way: "How to start one" })
}

fn silent(workers: &[WorkerView]) -> Option<Trouble> {
    let silent: Vec<_> = workers.iter().filter(|worker| worker.silent).collect();
    let words = match silent.as_slice() {
        [] => return None,
        [worker] => html! { "Worker " (worker.name) " went silent" },
        silent => html! { (silent.len()) " of " (workers.len()) " workers went silent" },
    };
    Some(Trouble { words, place: "/queues", way: "Workers" })
}

/// Queues that somebody paused, and where something is due.
fn paused(stats: &StatsView) -> Option<Trouble> {
    let held = stats.queues.iter().filter(|queue| queue.paused && queue.pending > 0);
    let held: Vec<_> = held.collect();
    let queues = match held.as_slice() {
        [] => return None,
        [queue] => format!("Queue {} is paused", queue.name),
        held => format!("{} queues are paused", held.len()),
    };
    let tasks: u64 = held.iter().map(|queue| queue.pending).sum();
    let words = match tasks {
        1 => html! { (queues) ": 1 task that is due is held back" },
        tasks => html! { (queues) ": " (parts::count(tasks)) " tasks that are due are held back" },
    };
    Some(Trouble { words, place: "/queues", way: "Resume" })
}

/// Somebody works, nothing is paused, and still something waits.
fn waiting(now: Timestamp, stats: &StatsView) -> Option<Trouble> {
    let since = stats.due_since.filter(|since| now.duration_since(*since) > LONG)?;
    let words = html! { "A task that is due waits for " (parts::ago(now, since)) };
    Some(Trouble { words, place: "/tasks?status=pending", way: "What waits" })
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

    fn words(trouble: Option<Trouble>) -> Option<String> {
        trouble.map(|trouble| trouble.words.into_string())
    }

    /// H2, D19: one that went silent is named, of several it is said how many of all.
    #[test]
    fn workers_that_went_silent_are_said() {
        assert_eq!(words(silent(&workers(&[false, false]))), None);
        let one = words(silent(&workers(&[false, true])));
        assert_eq!(one.as_deref(), Some("Worker w-1 went silent"));
        let two = words(silent(&workers(&[true, false, true])));
        assert_eq!(two.as_deref(), Some("2 of 3 workers went silent"));
    }

    /// H2, D15: a line that stands still is said, and one that moves is not.
    #[test]
    fn a_task_that_waits_for_long_is_said() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let since = |waited| {
            let stats = json!({
                "pending": 1, "scheduled": 0, "due_in_24_hours": 0, "running": 0, "completed": 0,
                "failed": 0, "cancelled": 0, "queues": [], "due_since": now - waited
            });
            words(waiting(now, &serde_json::from_value(stats).unwrap()))
        };
        assert_eq!(since(LONG), None);
        let waits = since(SignedDuration::from_mins(7)).unwrap();
        assert!(waits.starts_with("A task that is due waits for ") && waits.contains("7 min"));
    }
}
