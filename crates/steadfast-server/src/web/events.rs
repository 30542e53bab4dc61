//! The events page: the latest events, newest first.
//!
//! The full stream is available from the API. Live updates can be paused while reading.

use std::time::Duration;

use maud::{Markup, html};
use steadfast::Class;
use steadfast::observe::{DecidedBy, Event, EventType};
use steadfast_api::{Api, EventFilter, EventView, EventsFrom};
use steadfast_store::{Status, task_of_event};

use super::parts::{self, Text};
use super::{PageParams, PageResult, PolicyLinks, Section, View, link};
use crate::auth::Viewer;
use crate::limits::ReadPermit;

const MAX_EVENTS: u32 = 200;

pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    PageParams(filter): PageParams<EventFilter>,
    _permit: ReadPermit,
) -> PageResult {
    let mut events = api.events(&filter, EventsFrom::Latest, MAX_EVENTS).await?.items;
    events.reverse();
    let policies = PolicyLinks::load(&api).await?;
    let is_unfiltered = filter == EventFilter::default();
    let content = html! {
        (parts::head("Events", html! {
            button class="button" type="button" data-pauses="events" aria-pressed="false" hidden { "Pause" }
        }))
        (bar(&filter))
        section class="panel" id="events" aria-label="Events" {
            @match (events.is_empty(), is_unfiltered) {
                (false, _) => (rows(&view, &events, &policies)),
                (true, true) => (parts::empty("No events yet", html! {
                    p { "Retries, failures, breaker changes and lost leases appear here as they happen. First-attempt successes are not listed." }
                })),
                (true, false) => (parts::no_matches("events", "Filters match exact names.", "/events")),
            }
        }
        @if events.len() >= MAX_EVENTS as usize {
            p class="muted" { "Showing the latest " (MAX_EVENTS) " events. Older events and the live stream are available at " a href="/openapi.json" { "/api/v1/events" } "." }
        }
    };
    Ok(view.show(Section::EVENTS, "Events", &content))
}

fn bar(filter: &EventFilter) -> Markup {
    let by_type = EventFilter { event_type: filter.event_type, ..EventFilter::default() };
    let is_filtered = *filter != by_type;
    let fields = html! {
        (parts::filter("operation", "Operation", filter.operation.as_deref(), "http"))
        (parts::filter("policy", "Policy", filter.policy.as_deref(), ""))
        (parts::filter("session", "Task or session", filter.session.as_deref(), "ID"))
        (parts::filter("correlation_id", "Correlation ID", filter.correlation_id.as_deref(), ""))
    };
    let tab = filter.event_type.map(|kind| ("type", kind.name()));
    let url = |event_type| link::filtered("/events", EventFilter { event_type, ..filter.clone() });
    let name = |kind| html! { (label(kind)) };
    html! {
        (parts::filter_tabs("Type", EventType::ALL.iter().copied(), filter.event_type, name, url))
        (parts::filter_bar("/events", is_filtered, tab, fields))
    }
}

const fn label(kind: EventType) -> &'static str {
    match kind {
        EventType::RetryAttempt => "retry",
        EventType::RetrySuccess => "succeeded after retry",
        EventType::RetryFailure => "failed",
        EventType::CircuitBreakerOpened => "breaker opened",
        EventType::CircuitBreakerClosed => "breaker closed",
        EventType::HandedOver => "continued as task",
        EventType::LeaseLost => "lease lost",
        _ => "other",
    }
}

pub(super) fn rows(view: &View, events: &[EventView], policies: &PolicyLinks) -> Markup {
    let columns = [Text("Time"), Text("Event"), Text("Operation"), Text("Policy"), Text("Details")];
    parts::table("stacked events", &columns, events.iter().map(|it| row(view, it, policies)))
}

fn row(view: &View, EventView { number, event }: &EventView, policies: &PolicyLinks) -> Markup {
    html! {
        tr id={ "event-" (number) } data-row {
            td class="when muted" { (parts::at(view.now, event.timestamp)) }
            td { (event_type(event.event_type)) }
            td {
                a href=(subject_url(event)) title=(event.session_id) { (event.operation) }
                @if let Some(id) = task_of_event(event) { " " span class="muted" { (parts::id(id)) } }
            }
            td { (policies.link(&event.policy_id)) }
            td class="wide" { (details(event)) }
        }
    }
}

fn event_type(kind: EventType) -> Markup {
    let like = match kind {
        EventType::RetryAttempt => Status::Scheduled,
        EventType::RetrySuccess | EventType::CircuitBreakerClosed => Status::Completed,
        EventType::RetryFailure | EventType::CircuitBreakerOpened | EventType::LeaseLost => {
            Status::Failed
        }
        _ => Status::Running,
    };
    parts::badge(like, label(kind))
}

/// The page of the event's subject: a task has its own, a session of a program has its events.
pub(super) fn subject_url(event: &Event) -> String {
    match task_of_event(event) {
        Some(id) => link::task(id),
        None => link::filtered("/events", [("session", &event.session_id)]),
    }
}

/// The message of the event's error, final or retried.
pub(super) fn error_message(event: &Event) -> Option<&str> {
    let failed = event.error.as_ref().map(|error| error.message.as_str());
    let retried = event.context.as_ref().and_then(|context| context.get("last_error"));
    failed.or_else(|| retried.and_then(|message| message.as_str())).map(parts::error)
}

/// What happened when a worker lost the lease of a task.
pub(super) fn lost_lease(event: &Event) -> String {
    let worker = event.context.as_ref().and_then(|context| context.get("worker")?.as_str());
    let worker = worker.map(|name| format!("worker {name}")).unwrap_or("the worker".to_owned());
    format!("{worker} lost its lease: another worker may run the task again")
}

/// The attempt that the event is about and how it ended: "attempt 2 of 5 failed".
pub(super) fn outcome(event: &Event) -> Option<String> {
    let attempt = event.attempt?;
    let (attempt, outcome) = match event.event_type {
        EventType::RetryAttempt => retried(event, attempt),
        EventType::RetrySuccess => (attempt, " succeeded"),
        EventType::RetryFailure => (attempt, " failed"),
        _ => (attempt, ""),
    };
    let max = event.max_attempts.map(|max| format!(" of {max}")).unwrap_or_default();
    Some(format!("attempt {attempt}{max}{outcome}"))
}

/// A retry event has the number of the next attempt. A rate-limit wait is not counted, so the next
/// attempt has the same number.
fn retried(event: &Event, next: u32) -> (u32, &'static str) {
    let is_uncounted = event.why.as_ref().is_some_and(|why| {
        why.class == Some(Class::RateLimited) && matches!(why.decided_by, DecidedBy::Hint { .. })
    });
    match is_uncounted {
        true => (next, " was rate limited"),
        false => (next.saturating_sub(1).max(1), " failed"),
    }
}

pub(super) fn next_attempt(delay: Duration) -> String {
    format!("next attempt after {}", parts::duration(delay))
}

fn details(event: &Event) -> Markup {
    let message = error_message(event);
    let class = event.why.as_ref().and_then(|why| why.class);
    // The reason "final" repeats the class "final".
    let reason = event.reason.filter(|it| class.is_none_or(|class| class.name() != it.name()));
    html! {
        @if let Some(outcome) = outcome(event) { (outcome) @if event.delay.is_some() { "," } " " }
        @if let Some(delay) = event.delay { span class="muted" { (next_attempt(delay)) " " } }
        @if let Some(class) = class { (parts::class(class)) " " }
        @if let Some(reason) = reason { (parts::reason(reason)) " " }
        @if let Some(message) = message { span class="muted" title=(message) { (message) } }
        @else if event.event_type == EventType::LeaseLost { span class="muted" { (lost_lease(event)) } }
    }
}
