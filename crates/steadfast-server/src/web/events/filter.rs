//! Choosing events. Whatever is chosen stands in the address, so it can be sent to somebody.

use axum::extract::FromRequestParts;
use http::request::Parts;
use maud::{Markup, html};
use steadfast::observe::EventType;
use steadfast_api::{EventFilter, from_query};

use crate::app::App;
use crate::problem::Problem;
use crate::web::chosen::filled_in;
use crate::web::link;
use crate::web::parts::{self, Tab};

/// Which events.
pub(in crate::web) struct Filtered(pub(super) EventFilter);

impl FromRequestParts<App> for Filtered {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = filled_in(parts.uri.query().unwrap_or_default());
        Ok(Self(from_query(&query, "a filter")?))
    }
}

/// The bar above the list.
pub(super) fn bar(filter: &EventFilter) -> Markup {
    let by_type = EventFilter { event_type: filter.event_type, ..EventFilter::default() };
    let is_narrowed = *filter != by_type;
    let fields = html! {
        (parts::filter("operation", "Operation", filter.operation.as_deref(), "http"))
        (parts::filter("policy", "Policy", filter.policy.as_deref(), ""))
        (parts::filter("session", "Task or session", filter.session.as_deref(), "its id"))
        (parts::filter("correlation_id", "Correlation id", filter.correlation_id.as_deref(), ""))
    };
    let along = filter.event_type.map(|kind| ("type", kind.name()));
    html! {
        (types(filter))
        (parts::filter_bar("/events", is_narrowed, along, fields))
    }
}

fn types(filter: &EventFilter) -> Markup {
    let every = std::iter::once(None).chain(EventType::ALL.map(Some));
    parts::tabs(
        "Type",
        every.map(|kind| Tab {
            address: address(filter, kind),
            is_current: filter.event_type == kind,
            shows: html! { (kind.map_or("all", words)) },
        }),
    )
}

/// What an event tells of.
pub(super) const fn words(kind: EventType) -> &'static str {
    match kind {
        EventType::RetryAttempt => "retries",
        EventType::RetrySuccess => "recovered",
        EventType::RetryFailure => "gave up",
        EventType::CircuitBreakerOpened => "breaker opened",
        EventType::CircuitBreakerClosed => "breaker closed",
        EventType::HandedOver => "handed over",
        EventType::LeaseLost => "lease lost",
        _ => "other",
    }
}

/// The same choice, of another type.
fn address(filter: &EventFilter, event_type: Option<EventType>) -> String {
    link::filtered("/events", &EventFilter { event_type, ..filter.clone() })
}
