//! The events page: the latest events, newest first.
//!
//! The full stream is available from the API. Live updates can be paused while reading.

mod filter;
mod rows;

use axum::response::Response;
use maud::html;
use steadfast_api::{Api, EventFilter, EventsFrom};

use super::{PolicyLinks, Section, View, parts};
use crate::auth::Viewer;
use crate::http::Problem;
use crate::limits::ReadPermit;
use filter::EventQuery;

pub(super) use rows::{error_message, rows, subject_url};

/// How many events are shown.
const MAX_EVENTS: u32 = 200;

/// The latest matching events.
pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    EventQuery(filter): EventQuery,
    _permit: ReadPermit,
) -> Result<Response, Problem> {
    let mut events = api.events(&filter, EventsFrom::Latest, MAX_EVENTS).await?.items;
    events.reverse();
    let policies = PolicyLinks::load(&api).await?;
    let is_unfiltered = filter == EventFilter::default();
    let content = html! {
        (parts::head("Events", html! {
            button class="button" type="button" data-pauses="events" aria-pressed="false" hidden { "Pause" }
        }))
        (filter::bar(&filter))
        section class="panel" id="events" aria-label="Events" {
            @match (events.is_empty(), is_unfiltered) {
                (false, _) => (rows(&view, &events, &policies)),
                (true, true) => (parts::empty("No events yet", html! {
                    p { "Retries, failures, breaker changes and lost leases appear here as they happen. First-attempt successes are not listed." }
                })),
                (true, false) => (parts::empty("No matching events", html! {
                    p { "Filters match exact names. " a href="/events" { "View all events" } }
                })),
            }
        }
        @if events.len() >= MAX_EVENTS as usize {
            p class="muted" { "Showing the latest " (MAX_EVENTS) " events. Older events and the live stream are available at " a href="/openapi.json" { "/api/v1/events" } "." }
        }
    };
    Ok(view.show(Section::Events, "Events", &content))
}
