//! Events as the rows of a table.

use maud::{Markup, html};
use steadfast::observe::{Event, EventType};
use steadfast_api::EventView;
use steadfast_store::task_of;

use super::filter::words;
use crate::web::icon::{Icon, icon};
use crate::web::linkable::LinkablePolicies;
use crate::web::parts::Column::Text;
use crate::web::view::View;
use crate::web::{link, parts};

/// A table of events.
pub(in crate::web) fn rows(
    view: &View,
    events: &[EventView],
    policies: &LinkablePolicies,
) -> Markup {
    let columns = [Text("When"), Text("What"), Text("Of what"), Text("Policy"), Text("Facts")];
    parts::table(
        "stacked events",
        &columns,
        html! { @for event in events { (row(view, event, policies)) } },
    )
}

fn row(
    view: &View,
    EventView { number, event }: &EventView,
    policies: &LinkablePolicies,
) -> Markup {
    html! {
        tr id={ "event-" (number) } data-row {
            td class="when muted" { (parts::at(view.now, event.timestamp)) }
            td { (what(event.event_type)) }
            td { (of_what(event)) }
            td { (policies.named(&event.policy_id)) }
            td class="wide" { (facts(event)) }
        }
    }
}

/// By colour, by shape and in words.
fn what(kind: EventType) -> Markup {
    let (looks, shape) = match kind {
        EventType::RetryAttempt => ("scheduled", Icon::Scheduled),
        EventType::RetrySuccess | EventType::CircuitBreakerClosed => ("completed", Icon::Completed),
        EventType::RetryFailure | EventType::CircuitBreakerOpened | EventType::LeaseLost => {
            ("failed", Icon::Failed)
        }
        _ => ("running", Icon::Running),
    };
    html! { span class={ "status " (looks) } { (icon(shape)) (words(kind)) } }
}

fn of_what(event: &Event) -> Markup {
    html! {
        a href=(subject(event)) title=(event.session_id) { (event.operation) }
        @if let Some(id) = task_of(event) { " " span class="muted" { (parts::id(id)) } }
    }
}

/// Where what an event tells of can be seen: a task has a page, a session of some program has
/// its events.
pub(in crate::web) fn subject(event: &Event) -> String {
    match task_of(event) {
        Some(id) => link::task(id),
        None => link::narrowed("/events", &[("session", &event.session_id)]),
    }
}

/// The words of the error that an event tells of, given up or tried again.
pub(in crate::web) fn said(event: &Event) -> Option<&str> {
    let given_up = event.error.as_ref().map(|error| error.message.as_str());
    let retried = event.context.as_ref().and_then(|context| context.get("last_error"));
    given_up.or_else(|| retried.and_then(|said| said.as_str()))
}

fn facts(event: &Event) -> Markup {
    let said = said(event);
    let class = event.why.as_ref().and_then(|why| why.class);
    // To give up because it is final says no more than that it is.
    let reason = event.reason.filter(|it| class.is_none_or(|class| class.name() != it.name()));
    html! {
        @if let Some(attempt) = event.attempt {
            "attempt " (attempt)
            @if let Some(most) = event.max_attempts { span class="muted" { " of " (most) } }
            " "
        }
        @if let Some(delay) = event.delay { span class="muted" { "after " (parts::lasting(delay)) " " } }
        @if let Some(class) = class { (parts::class(class)) " " }
        @if let Some(reason) = reason { (parts::reason(reason)) " " }
        @if let Some(said) = said { span class="muted" title=(said) { (said) } }
    }
}
