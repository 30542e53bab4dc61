//! What happens, newest first.
//!
//! The page is live as all pages are, and shows the last few hundred: who wants all of them
//! follows the API. It can be held still while somebody reads.

mod filter;
mod rows;

use axum::response::Response;
use maud::html;
use steadfast_api::{Api, EventFilter, EventsFrom};

use super::linkable::LinkablePolicies;
use super::parts;
use super::section::Section;
use super::view::View;
use crate::extract::Ask;
use crate::problem::Problem;
use crate::read_permits::Turn;
use filter::Filtered;

pub(super) use rows::{rows, said, subject};

/// How many are shown.
const SHOWN: u32 = 200;

/// The last events that are like this.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    Filtered(filter): Filtered,
    _turn: Turn,
) -> Result<Response, Problem> {
    let mut events = api.events(&filter, EventsFrom::Latest, SHOWN).await?.items;
    events.reverse();
    let policies = LinkablePolicies::now(&api).await?;
    let is_everything = filter == EventFilter::default();
    let inside = html! {
        (parts::head("Events", html! {
            button class="button" type="button" data-holds="events" aria-pressed="false" hidden { "Pause" }
        }))
        (filter::bar(&filter))
        section class="panel" id="events" aria-label="Events" {
            @match (events.is_empty(), is_everything) {
                (false, _) => (rows(&view, &events, &policies)),
                (true, true) => (parts::empty("Nothing happened yet", html! {
                    p { "Retries, their ends, breakers that open and leases that are lost show themselves here as they happen. A task that succeeds at once tells nothing." }
                })),
                (true, false) => (parts::empty("Nothing like that happened lately", html! {
                    p { "Names are matched as they are written. " a href="/events" { "See all events" } "." }
                })),
            }
        }
        @if events.len() >= SHOWN as usize {
            p class="muted" { "The last " (SHOWN) ". Older ones, and all of them as they happen, are at " a href="/openapi.json" { "/api/v1/events" } "." }
        }
    };
    Ok(view.show(Section::Events, "Events", &inside))
}
