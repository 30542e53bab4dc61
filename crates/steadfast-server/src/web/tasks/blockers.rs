//! Reasons outside a task that keep it from running: a paused queue, an open breaker, no worker.
//!
//! They come from the cached snapshot of the store, so that a page does not wait for them.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use steadfast::guard::breaker::BreakerState;
use steadfast_api::{TaskView, WorkerView};
use steadfast_store::{BreakerReport, Status};

use crate::app::App;
use crate::cache::StoreSnapshot;
use crate::web::{View, link, parts};

const SNAPSHOT_WAIT: Duration = Duration::from_millis(20);
/// Older snapshots are not used.
const MAX_AGE: Duration = Duration::from_secs(60);

/// A recent snapshot, if one is available.
pub(super) async fn snapshot(app: &App) -> Option<Arc<StoreSnapshot>> {
    let cached = app.snapshots.full_within(SNAPSHOT_WAIT).await;
    cached.value.filter(|_| cached.age < MAX_AGE)
}

pub(super) fn blockers(
    view: &View,
    task: &TaskView,
    snapshot: Option<&StoreSnapshot>,
) -> Option<Markup> {
    let is_waiting = matches!(task.status, Status::Pending | Status::Scheduled);
    let snapshot = snapshot.filter(|_| is_waiting)?;
    let reasons = [queue(task, snapshot), breaker(view, task, snapshot), workers(task, snapshot)];
    let reasons: Vec<_> = reasons.into_iter().flatten().collect();
    let list = html! {
        @for (index, reason) in reasons.iter().enumerate() { @if index > 0 { "; " } (reason) }
    };
    (!reasons.is_empty()).then_some(list)
}

fn queue(task: &TaskView, snapshot: &StoreSnapshot) -> Option<Markup> {
    let is_paused = snapshot.counts.queues.iter().any(|it| it.paused && it.name == task.queue);
    let url = link::anchor("/queues", &format!("queue-{}", task.queue));
    is_paused.then(|| html! { "queue " a href=(url) { (task.queue) } " is paused" })
}

fn breaker(view: &View, task: &TaskView, snapshot: &StoreSnapshot) -> Option<Markup> {
    let policy = task.policy.as_ref()?.id()?;
    let breaker = snapshot.breakers.iter().find(|breaker| breaker.policy == policy)?;
    let rejects =
        |it: &&BreakerReport| matches!(it.state, BreakerState::Open | BreakerState::Isolated);
    let rejecting: Vec<_> = breaker.instances.iter().filter(rejects).collect();
    if rejecting.is_empty() {
        return None;
    }
    let probe = rejecting.iter().filter_map(|it| it.next_probe_at).min();
    let url = link::anchor("/breakers", &format!("of-{policy}"));
    Some(html! {
        "the breaker for policy " a href=(url) { (policy) } " is "
        @if rejecting.iter().all(|it| it.state == BreakerState::Isolated) { "held open" } @else { "open" }
        @let (some, all) = (rejecting.len(), breaker.instances.len());
        @if some < all { " in " (some) " of " (all) " instances" }
        @match probe {
            Some(time) if time > view.now => { ", next probe " (parts::at(view.now, time)) }
            Some(_) => ", the next call is a probe",
            None => ", until it is closed",
        }
    })
}

/// Missing workers. A scheduled task needs none yet.
fn workers(task: &TaskView, snapshot: &StoreSnapshot) -> Option<Markup> {
    let reporting: Vec<_> = snapshot.workers.iter().filter(|worker| !worker.silent).collect();
    if task.status != Status::Pending || reporting.iter().any(|worker| serves(worker, &task.queue))
    {
        return None;
    }
    Some(html! {
        @if reporting.is_empty() { a href="/queues" { "no worker" } " is reporting" }
        @else { a href="/queues" { "no worker" } " serves queue " (task.queue) }
    })
}

fn serves(worker: &WorkerView, queue: &str) -> bool {
    worker.queues.as_ref().is_none_or(|queues| queues.iter().any(|it| it == queue))
}
