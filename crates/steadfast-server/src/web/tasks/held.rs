//! What holds a task back, so that nobody looks for it in the task: a queue that is paused, a
//! breaker that is open, workers that are not there.
//!
//! It is told from how the store stood a moment ago, which is known for all pages together; a page
//! does not wait for it.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use steadfast::guard::breaker::BreakerState;
use steadfast_api::{BreakerView, TaskView, WorkerView};
use steadfast_store::{BreakerReport, Status};

use crate::app::App;
use crate::snapshots::Standing;
use crate::web::view::View;
use crate::web::{link, parts};

/// How long a page waits for what is newer than that of a while ago.
const A_MOMENT: Duration = Duration::from_millis(20);
/// What is older is not told.
const OLD: Duration = Duration::from_secs(60);

/// How everything stood a moment ago, if that is known.
pub(super) async fn stood(app: &App) -> Option<Arc<Standing>> {
    let told = app.stands_within(A_MOMENT).await;
    told.seen.filter(|_| told.age < OLD)
}

/// Everything that holds it back.
pub(super) fn back(view: &View, task: &TaskView, stood: Option<&Standing>) -> Option<Markup> {
    let stood = stood.filter(|_| matches!(task.status, Status::Pending | Status::Scheduled))?;
    let reasons = [queue(task, stood), breaker(view, task, stood), workers(task, stood)];
    let reasons: Vec<_> = reasons.into_iter().flatten().collect();
    let told = html! {
        @for (place, reason) in reasons.iter().enumerate() { @if place > 0 { "; " } (reason) }
    };
    (!reasons.is_empty()).then_some(told)
}

fn queue(task: &TaskView, stood: &Standing) -> Option<Markup> {
    let is_paused = stood.counts.queues.iter().any(|it| it.paused && it.name == task.queue);
    let address = link::within("/queues", &format!("queue-{}", task.queue));
    is_paused.then(|| html! { "queue " a href=(address) { (task.queue) } " is paused" })
}

fn breaker(view: &View, task: &TaskView, stood: &Standing) -> Option<Markup> {
    let policy = task.policy.as_ref()?.id()?;
    let breaker = stood.breakers.iter().find(|breaker| breaker.policy == policy)?;
    let rejects: Vec<_> = breaker.instances.iter().filter(|it| is_shut(it)).collect();
    if rejects.is_empty() {
        return None;
    }
    let probe = rejects.iter().filter_map(|it| it.next_probe_at).min();
    let address = link::within("/breakers", &format!("of-{policy}"));
    Some(html! {
        "the breaker of " a href=(address) { (policy) } " is "
        @if rejects.iter().all(|it| it.state == BreakerState::Isolated) { "isolated" } @else { "open" }
        (share(breaker, rejects.len()))
        @match probe {
            Some(time) if time > view.now => { ", next probe " (parts::at(view.now, time)) }
            Some(_) => ", the next call is a probe",
            None => ", until somebody closes it",
        }
    })
}

fn is_shut(report: &BreakerReport) -> bool {
    matches!(report.state, BreakerState::Open | BreakerState::Isolated)
}

/// In how many instances, if not in all of them.
fn share(breaker: &BreakerView, rejects: usize) -> Markup {
    let all = breaker.instances.len();
    html! { @if rejects < all { " in " (rejects) " of " (all) " instances" } }
}

/// Who is not due needs nobody.
fn workers(task: &TaskView, stood: &Standing) -> Option<Markup> {
    let there: Vec<_> = stood.workers.iter().filter(|worker| !worker.silent).collect();
    if task.status != Status::Pending || there.iter().any(|worker| serves(worker, &task.queue)) {
        return None;
    }
    Some(html! {
        @if there.is_empty() { a href="/queues" { "no worker" } " was heard of" }
        @else { a href="/queues" { "no worker" } " takes from queue " (task.queue) }
    })
}

fn serves(worker: &WorkerView, queue: &str) -> bool {
    worker.queues.as_ref().is_none_or(|queues| queues.iter().any(|it| it == queue))
}
