//! The events page: the latest events, newest first.
//!
//! The full stream is available from the API. Live updates can be paused while reading.

use maud::{Markup, html};
use steadfast::observe::{Event, EventType};
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
        (parts::filter_tabs("Type", EventType::ALL, filter.event_type, name, url))
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
        EventType::HandedOver => "handed over",
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
    failed.or_else(|| retried.and_then(|message| message.as_str()))
}

fn details(event: &Event) -> Markup {
    let message = error_message(event);
    let class = event.why.as_ref().and_then(|why| why.class);
    // The reason "final" repeats the class "final".
    let reason = event.reason.filter(|it| class.is_none_or(|class| class.name() != it.name()));
    html! {
        @if let Some(attempt) = event.attempt {
            "attempt " (attempt)
            @if let Some(max) = event.max_attempts { span class="muted" { " of " (max) } }
            " "
        }
        @if let Some(delay) = event.delay { span class="muted" { "after " (parts::duration(delay)) " " } }
        @if let Some(class) = class { (parts::class(class)) " " }
        @if let Some(reason) = reason { (parts::reason(reason)) " " }
        @if let Some(message) = message { span class="muted" title=(message) { (message) } }
    }
}
