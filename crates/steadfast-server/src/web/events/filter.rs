//! The filter of the events page, kept in the URL so that it can be shared.

use axum::extract::FromRequestParts;
use http::request::Parts;
use maud::{Markup, html};
use steadfast::observe::EventType;
use steadfast_api::{EventFilter, from_query};

use crate::app::App;
use crate::http::Problem;
use crate::web::parts::{self, Tab};
use crate::web::{link, without_empty_fields};

/// The filter from the query string.
pub(in crate::web) struct EventQuery(pub(super) EventFilter);

impl FromRequestParts<App> for EventQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let query = without_empty_fields(parts.uri.query().unwrap_or_default());
        Ok(Self(from_query(&query, "a filter")?))
    }
}

/// The bar above the list.
pub(super) fn bar(filter: &EventFilter) -> Markup {
    let by_type = EventFilter { event_type: filter.event_type, ..EventFilter::default() };
    let is_filtered = *filter != by_type;
    let fields = html! {
        (parts::filter("operation", "Operation", filter.operation.as_deref(), "http"))
        (parts::filter("policy", "Policy", filter.policy.as_deref(), ""))
        (parts::filter("session", "Task or session", filter.session.as_deref(), "ID"))
        (parts::filter("correlation_id", "Correlation ID", filter.correlation_id.as_deref(), ""))
    };
    let tab = filter.event_type.map(|kind| ("type", kind.name()));
    html! {
        (types(filter))
        (parts::filter_bar("/events", is_filtered, tab, fields))
    }
}

fn types(filter: &EventFilter) -> Markup {
    let types = std::iter::once(None).chain(EventType::ALL.map(Some));
    parts::tabs(
        "Type",
        types.map(|kind| Tab {
            url: url(filter, kind),
            is_current: filter.event_type == kind,
            label: html! { (kind.map_or("all", label)) },
        }),
    )
}

/// The label of an event type.
pub(super) const fn label(kind: EventType) -> &'static str {
    match kind {
        EventType::RetryAttempt => "retry",
        EventType::RetrySuccess => "recovered",
        EventType::RetryFailure => "failed",
        EventType::CircuitBreakerOpened => "breaker opened",
        EventType::CircuitBreakerClosed => "breaker closed",
        EventType::HandedOver => "handed over",
        EventType::LeaseLost => "lease lost",
        _ => "other",
    }
}

/// The same filter with another type.
fn url(filter: &EventFilter, event_type: Option<EventType>) -> String {
    link::filtered("/events", EventFilter { event_type, ..filter.clone() })
}
