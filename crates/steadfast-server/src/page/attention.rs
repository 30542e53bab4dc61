//! What stops work, said before anything else.
//!
//! Numbers say how much waits, and not why: a queue that somebody paused, a server without a worker
//! and a policy file that nobody could read look the same in them. So what is in the way is said in
//! words, each with the way to where it is put right. Where all is well nothing is said.

use jiff::SignedDuration;
use maud::{Markup, html};
use steadfast_api::{Local, StatsView, WorkerView};

use super::icon::{Icon, icon};
use super::parts;
use super::view::View;
use crate::standing::Standing;

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
    let waiting = is_odd.then(|| waiting(view, stats)).flatten();
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
fn waiting(view: &View, stats: &StatsView) -> Option<Trouble> {
    let since = stats.due_since.filter(|since| view.now.duration_since(*since) > LONG)?;
    let words = html! { "A task that is due waits for " (parts::ago(view.now, since)) };
    Some(Trouble { words, place: "/tasks?status=pending", way: "What waits" })
}
