//! The overview page: task counts, health, charts, recent failures, queues and open breakers.

use std::cmp::Reverse;

use maud::{Markup, html};
use steadfast::Reason;
use steadfast::guard::breaker::BreakerState;
use steadfast::observe::EventType;
use steadfast_api::{BreakerView, Local, QueueInfo, ReadAction, StatsView};
use steadfast_store::{Activity, Status};

use super::attention::attention;
use super::failure_groups::{FailureGroup, group_failures};
use super::parts::{self, Number, Text};
use super::{PageResult, Section, View, charts, events, link, store_counts};
use crate::auth::Viewer;
use crate::cache::{Cached, StoreSnapshot};

pub(crate) async fn overview(view: View, Viewer(api): Viewer) -> PageResult {
    let counts = store_counts::load(&view.app).await?;
    api.record_read(ReadAction::Stats);
    let content = match &counts.value {
        Some(snapshot) => content(&view, &api, snapshot, &counts),
        None => html! { (parts::head("Overview", html! {})) (store_counts::loading()) },
    };
    Ok(view.show(Section::OVERVIEW, "Overview", &content))
}

fn content(
    view: &View,
    api: &Local,
    snapshot: &StoreSnapshot,
    cached: &Cached<StoreSnapshot>,
) -> Markup {
    let stats = &snapshot.stats();
    html! {
        (parts::head("Overview", html! {
            @if view.can_operate() { a class="button main" href="/tasks/new" { "New task" } }
        }))
        (store_counts::age(cached))
        (attention(view, api, snapshot))
        (counts(snapshot))
        @if stats.total() == 0 {
            section class="panel" { (parts::first_task(view)) }
        } @else {
            (health(view, stats, &snapshot.activity))
            div class="columns charts" { (charts::finished(&snapshot.activity)) (charts::scheduled(&snapshot.activity)) }
            div class="columns" {
                (failures(view, &group_failures(&snapshot.events)))
                div class="stack" { (queues(&stats.queues)) (breakers(view, &snapshot.breakers)) }
            }
        }
    }
}

/// The number of tasks in each status, linked to their list.
fn counts(snapshot: &StoreSnapshot) -> Markup {
    html! {
        ul class="counts" aria-label="Tasks by status" {
            @for (status, count) in snapshot.by_status() {
                li {
                    a href={ "/tasks?status=" (status.name()) } {
                        (parts::status(status))
                        span class={ "count" @if count == 0 { " zero" } } { (parts::count(count)) }
                    }
                }
            }
        }
    }
}

fn health(view: &View, stats: &StatsView, activity: &Activity) -> Markup {
    html! {
        dl class="health" {
            div {
                dt { "Success rate, last hour" }
                dd { (success(stats, activity)) }
            }
            div {
                dt { "Oldest pending task" }
                dd {
                    @match stats.due_since {
                        Some(time) => a href="/tasks?status=pending" { (parts::ago(view.now, time)) },
                        None => span class="muted" { "none" },
                    }
                    @if stats.queues.iter().any(|queue| queue.paused && queue.pending > 0) {
                        span class="muted" { ", paused queues not included" }
                    }
                }
            }
            div {
                dt { "Next scheduled task" }
                dd { @match stats.next_due {
                    Some(time) => a href="/tasks?status=scheduled" { (parts::at(view.now, time)) },
                    None => span class="muted" { "none" },
                } }
            }
            div {
                dt { "Due in the next 24 hours" }
                dd { a href="/tasks?due_within=24h" { (parts::count(stats.due_in_24_hours)) } }
            }
        }
    }
}

/// The success rate of the last hour, which shows a current problem, beside that of all stored tasks.
fn success(stats: &StatsView, activity: &Activity) -> Markup {
    let (completed, failed) = charts::last_hour(activity);
    let ended = completed + failed;
    let last_hour = (ended > 0).then(|| completed as f64 / ended as f64);
    html! {
        @match last_hour {
            Some(rate) => a href=(charts::since(Status::Failed, activity.now)) { (parts::percent(rate)) },
            None => span class="muted" { "no finished tasks" },
        }
        @if let Some(rate) = stats.success_rate {
            ", " a class="muted" href="/tasks?status=failed" { (parts::percent(rate)) " overall" }
        }
    }
}

fn failures(view: &View, failures: &[FailureGroup<'_>]) -> Markup {
    let link = html! { a href="/tasks?status=failed" { "View failed tasks" } };
    let content = html! {
        @if failures.is_empty() {
            div class="empty small" { p { "No recent failures" } }
        } @else {
            ol class="failures" {
                @for failure in failures { (failure_row(view, failure)) }
            }
        }
    };
    parts::panel_with("Recent failures", link, content)
}

fn failure_row(view: &View, failure: &FailureGroup<'_>) -> Markup {
    let event = &failure.latest.event;
    html! {
        li id={ "event-" (failure.latest.number) } data-row {
            p {
                a href=(events::subject_url(event)) { (event.operation) }
                " " span class="muted" {
                    @if let Some(outcome) = events::outcome(event) { (outcome) }
                }
                " " @if let Some(class) = event.why.as_ref().and_then(|why| why.class) { (parts::class(class)) }
                " " @match (event.reason, event.delay) {
                    // The class says the same.
                    (Some(Reason::Final), _) | (None, None) => {}
                    (Some(reason), _) => (parts::reason(reason)),
                    (None, Some(delay)) => span class="muted" { (events::next_attempt(delay)) },
                }
                @if failure.count() > 1 { " " a class="tag" href=(failure.url()) { (failure.summary()) } }
            }
            (parts::at(view.now, event.timestamp))
            @if let Some(message) = events::error_message(event) { p class="message" { (message) } }
            @else if event.event_type == EventType::LeaseLost { p class="message" { (events::lost_lease(event)) } }
        }
    }
}

/// Paused queues first, then those with the most pending tasks.
fn queues(queues: &[QueueInfo]) -> Markup {
    let mut queues: Vec<_> = queues.iter().collect();
    queues.sort_by_key(|queue| (Reverse(queue.paused), Reverse(queue.pending)));
    let row = |queue: &QueueInfo| {
        html! {
            tr id={ "queue-" (queue.name) } {
                td class="wide" {
                    @if queue.paused { span class="tag paused" { "paused" } " " }
                    a href=(link::queue(&queue.name)) { (queue.name) }
                }
                td class="number" { (parts::queue_count("pending", &queue.name, queue.pending)) }
                td class="number" { (parts::queue_count("scheduled", &queue.name, queue.scheduled)) }
            }
        }
    };
    let columns = [Text("Queue"), Number("Pending"), Number("Scheduled")];
    let table = parts::table("queues", &columns, queues.into_iter().take(10).map(row));
    parts::panel_with("Queues", html! { a href="/queues" { "View all queues" } }, table)
}

/// Breakers that are not closed.
fn breakers(view: &View, breakers: &[BreakerView]) -> Markup {
    let instances = breakers.iter().flat_map(|breaker| &breaker.instances);
    let open: Vec<_> = instances.filter(|it| it.state != BreakerState::Closed).collect();
    let link = html! { a href="/breakers" { "View all breakers" } };
    let content = html! {
        @if open.is_empty() {
            div class="empty small" { p { "No open breakers" } }
        } @else {
            ul class="failures" {
                @for report in open {
                    li {
                        p { a href="/breakers" { (report.policy) } " " span class="tag open" { (parts::breaker_state(report.state)) } }
                        @if let Some(probe) = report.next_probe_at { span { "next probe " (parts::at(view.now, probe)) } }
                        p class="message" { (parts::pluralize(report.failure_count, "failure")) " on " (report.instance) }
                    }
                }
            }
        }
    };
    parts::panel_with("Open breakers", link, content)
}
