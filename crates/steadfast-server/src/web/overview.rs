//! How it goes, at a glance: how many are where, how well it went, what is to come, what fails.

use std::cmp::Reverse;

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use steadfast::Reason;
use steadfast::guard::breaker::BreakerState;
use steadfast_api::{BreakerView, Local, QueueView, Seen, StatsView};
use steadfast_store::{Activity, Status};

use super::attention::attention;
use super::failing::{Failures, failing};
use super::parts::Column::{Number, Text};
use super::section::Section;
use super::view::View;
use super::{charts, counted, events, link, parts};
use crate::app::App;
use crate::extract::Ask;
use crate::problem::Problem;
use crate::query_cache::LastSeen;
use crate::snapshots::Standing;

/// The overview.
pub(crate) async fn overview(
    view: View,
    Ask(api): Ask,
    State(app): State<App>,
) -> Result<Response, Problem> {
    let told = counted::figures(&app).await?;
    api.has_read(Seen::Stats);
    let inside = match &told.seen {
        Some(seen) => inside(&view, &api, seen, &told),
        None => html! { (parts::head("Overview", html! {})) (counted::counting()) },
    };
    Ok(view.show(Section::Overview, "Overview", &inside))
}

fn inside(view: &View, api: &Local, standing: &Standing, told: &LastSeen<Standing>) -> Markup {
    let stats = &standing.stats();
    html! {
        (parts::head("Overview", html! {
            @if view.may_change() { a class="button main" href="/tasks/new" { "New task" } }
        }))
        (counted::age(told))
        (attention(view, api, standing))
        (counts(stats))
        @if stats.total() == 0 {
            section class="panel" { (parts::first_task(view)) }
        } @else {
            (health(view, stats, &standing.activity))
            div class="columns charts" { (charts::ended(&standing.activity)) (charts::due(&standing.activity)) }
            div class="columns" {
                (failures(view, &failing(&standing.events)))
                div class="stack" { (queues(&stats.queues)) (breakers(view, &standing.breakers)) }
            }
        }
    }
}

/// How many are where. Each number leads to them.
fn counts(stats: &StatsView) -> Markup {
    let counted = [
        (Status::Pending, stats.pending),
        (Status::Scheduled, stats.scheduled),
        (Status::Running, stats.running),
        (Status::Completed, stats.completed),
        (Status::Failed, stats.failed),
        (Status::Cancelled, stats.cancelled),
    ];
    html! {
        ul class="counts" aria-label="Tasks by status" {
            @for (status, count) in counted {
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

/// How well it goes, in four facts.
fn health(view: &View, stats: &StatsView, activity: &Activity) -> Markup {
    html! {
        dl class="vitals" {
            div {
                dt { "Success in the last hour" }
                dd { (success(stats, activity)) }
            }
            div {
                dt { "Longest due" }
                dd { @match stats.due_since {
                    Some(time) => a href="/tasks?status=pending" { (parts::ago(view.now, time)) },
                    None => span class="muted" { "nothing is due" },
                } }
            }
            div {
                dt { "Next due" }
                dd { @match stats.next_due {
                    Some(time) => a href="/tasks?status=scheduled" { (parts::at(view.now, time)) },
                    None => span class="muted" { "nothing is scheduled" },
                } }
            }
            div {
                dt { "Due in 24 hours" }
                dd { a href="/tasks?due_within=24h" { (parts::count(stats.due_in_24_hours)) } }
            }
        }
    }
}

/// How much of what ended in the last hour went well: what is wrong now would hardly be seen in the
/// rate of all that is kept, which stands beside it.
fn success(stats: &StatsView, activity: &Activity) -> Markup {
    let lately = charts::in_an_hour(activity);
    html! {
        @match lately.success_rate() {
            Some(rate) => a href=(charts::since(Status::Failed, activity.now)) { (parts::percent(rate)) },
            None => span class="muted" { "nothing ended" },
        }
        @if let Some(rate) = stats.success_rate {
            ", " a class="muted" href="/tasks?status=failed" { (parts::percent(rate)) " of all kept" }
        }
    }
}

fn failures(view: &View, failures: &[Failures<'_>]) -> Markup {
    let beside = html! { a href="/tasks?status=failed" { "All failed" } };
    parts::panel_with(
        "Failing lately",
        beside,
        html! {
            @if failures.is_empty() {
                div class="empty small" { p { "Nothing failed lately." } }
            } @else {
                ol class="failures" {
                    @for failure in failures { (failed(view, failure)) }
                }
            }
        },
    )
}

fn failed(view: &View, failure: &Failures<'_>) -> Markup {
    let event = &failure.latest.event;
    html! {
        li id={ "event-" (failure.latest.number) } data-row {
            p {
                a href=(events::subject(event)) { (event.operation) }
                " " span class="muted" {
                    @if let Some(attempt) = event.attempt { "attempt " (attempt) }
                    @if let Some(most) = event.max_attempts { " of " (most) }
                }
                " " @if let Some(class) = event.why.as_ref().and_then(|why| why.class) { (parts::class(class)) }
                " " @match (event.reason, event.delay) {
                    (Some(Reason::Final), _) => span class="muted" { "given up" },
                    (Some(reason), _) => span class="tag final" { "given up: " (reason.name().replace('_', " ")) },
                    (None, Some(delay)) => span class="muted" { "again after " (parts::lasting(delay)) },
                    (None, None) => {}
                }
                @if failure.times() > 1 { " " a class="tag" href=(failure.address()) { (failure.told()) } }
            }
            (parts::at(view.now, event.timestamp))
            @if let Some(said) = events::said(event) { p class="message" { (said) } }
        }
    }
}

/// Those that hold something back first, then those where most waits.
fn queues(queues: &[QueueView]) -> Markup {
    let mut queues: Vec<_> = queues.iter().collect();
    queues.sort_by_key(|queue| (Reverse(queue.paused), Reverse(queue.pending)));
    let beside = html! { a href="/queues" { "All queues" } };
    let columns = [Text("Queue"), Number("Pending"), Number("Scheduled")];
    parts::panel_with(
        "Queues",
        beside,
        parts::table(
            "queues",
            &columns,
            html! {
                @for queue in queues.iter().take(10) {
                    tr id={ "queue-" (queue.name) } {
                        td class="wide" {
                            @if queue.paused { span class="tag paused" { "paused" } " " }
                            a href=(link::queue(&queue.name)) { (queue.name) }
                        }
                        td class="number" { (parts::of_queue("pending", &queue.name, queue.pending)) }
                        td class="number" { (parts::of_queue("scheduled", &queue.name, queue.scheduled)) }
                    }
                }
            },
        ),
    )
}

/// Breakers that hold something back; all is well if there are none.
fn breakers(view: &View, breakers: &[BreakerView]) -> Markup {
    let open: Vec<_> = breakers
        .iter()
        .flat_map(|breaker| &breaker.instances)
        .filter(|report| report.state != BreakerState::Closed)
        .collect();
    let beside = html! { a href="/breakers" { "All breakers" } };
    parts::panel_with(
        "Open breakers",
        beside,
        html! {
            @if open.is_empty() {
                div class="empty small" { p { "None is open." } }
            } @else {
                ul class="failures" {
                    @for report in open {
                        li {
                            p { a href="/breakers" { (report.policy) } " " span class="tag open" { (report.state) } }
                            @if let Some(probe) = report.next_probe_at { span { "probes " (parts::at(view.now, probe)) } }
                            p class="message" { (parts::counted(report.failure_count, "failure")) " at " (report.instance) }
                        }
                    }
                }
            }
        },
    )
}
