//! The events table.

use maud::{Markup, html};
use steadfast::observe::{Event, EventType};
use steadfast_api::EventView;
use steadfast_store::task_of_event;

use super::filter::label;
use crate::web::parts::{self, Text};
use crate::web::{Icon, PolicyLinks, View, icon, link};

/// A table of events.
pub(in crate::web) fn rows(view: &View, events: &[EventView], policies: &PolicyLinks) -> Markup {
    let columns = [Text("Time"), Text("Event"), Text("Operation"), Text("Policy"), Text("Details")];
    parts::table(
        "stacked events",
        &columns,
        html! { @for event in events { (row(view, event, policies)) } },
    )
}

fn row(view: &View, EventView { number, event }: &EventView, policies: &PolicyLinks) -> Markup {
    html! {
        tr id={ "event-" (number) } data-row {
            td class="when muted" { (parts::at(view.now, event.timestamp)) }
            td { (event_type(event.event_type)) }
            td { (operation(event)) }
            td { (policies.link(&event.policy_id)) }
            td class="wide" { (details(event)) }
        }
    }
}

/// The event type as a coloured icon with a label.
fn event_type(kind: EventType) -> Markup {
    let (class, shape) = match kind {
        EventType::RetryAttempt => ("scheduled", Icon::Scheduled),
        EventType::RetrySuccess | EventType::CircuitBreakerClosed => ("completed", Icon::Completed),
        EventType::RetryFailure | EventType::CircuitBreakerOpened | EventType::LeaseLost => {
            ("failed", Icon::Failed)
        }
        _ => ("running", Icon::Running),
    };
    html! { span class={ "status " (class) } { (icon(shape)) (label(kind)) } }
}

fn operation(event: &Event) -> Markup {
    html! {
        a href=(subject_url(event)) title=(event.session_id) { (event.operation) }
        @if let Some(id) = task_of_event(event) { " " span class="muted" { (parts::id(id)) } }
    }
}

/// The page of the event's subject: a task has its own, a session of a program has its events.
pub(in crate::web) fn subject_url(event: &Event) -> String {
    match task_of_event(event) {
        Some(id) => link::task(id),
        None => link::filtered("/events", [("session", &event.session_id)]),
    }
}

/// The message of the event's error, final or retried.
pub(in crate::web) fn error_message(event: &Event) -> Option<&str> {
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
