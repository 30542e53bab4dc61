//! Lists of events (O1).

use serde::{Deserialize, Serialize};
use steadfast::observe::Event;
use steadfast_store::{Cursor, Page, PageRequest, Record, RecordKind, Store, StoreError};

use super::filter::EventFilter;

/// The most events in one response.
const MAX_EVENTS: u32 = 1000;
/// The most events that are scanned for matches of a filter.
const MAX_SCANNED_EVENTS: usize = 10_000;

/// The start of a list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventsFrom {
    /// The latest events.
    Latest,
    /// The events after this number.
    After(i64),
}

/// An event with its number. Numbers increase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventView {
    /// The number of the event.
    pub number: i64,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// A list of events, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Events {
    /// The events.
    pub items: Vec<EventView>,
    /// Where to continue: no event with a number up to this one is added later.
    pub last: i64,
}

pub(crate) async fn read(
    store: &Store,
    filter: &EventFilter,
    from: EventsFrom,
    limit: u32,
) -> Result<Events, StoreError> {
    let limit = limit.clamp(1, MAX_EVENTS);
    match from {
        EventsFrom::Latest => latest(store, filter, limit).await,
        EventsFrom::After(number) => after(store, filter, number, limit).await,
    }
}

async fn after(
    store: &Store,
    filter: &EventFilter,
    number: i64,
    limit: u32,
) -> Result<Events, StoreError> {
    let records = store.records_after(RecordKind::Event, number, limit).await?;
    let last = records.last().and_then(|record| record.number).unwrap_or(number);
    Ok(Events {
        items: records.into_iter().filter_map(|record| decode_match(filter, record)).collect(),
        last,
    })
}

async fn latest(store: &Store, filter: &EventFilter, limit: u32) -> Result<Events, StoreError> {
    let mut events = Events { items: Vec::new(), last: 0 };
    let (mut after, mut scanned): (Option<Cursor>, usize) = (None, 0);
    // Without a filter every event matches.
    let page_size = if *filter == EventFilter::default() { limit } else { MAX_EVENTS };
    loop {
        let page = PageRequest { limit: page_size, after };
        let Page { items, next } = store.records(RecordKind::Event, &page).await?;
        scanned += items.len();
        let newest = items.first().and_then(|record| record.number).unwrap_or_default();
        events.last = events.last.max(newest);
        let missing = (limit as usize).saturating_sub(events.items.len());
        events.items.extend(
            items.into_iter().filter_map(|record| decode_match(filter, record)).take(missing),
        );
        let is_done = events.items.len() >= limit as usize || scanned >= MAX_SCANNED_EVENTS;
        if next.is_none() || is_done {
            events.items.reverse();
            return Ok(events);
        }
        after = next;
    }
}

/// Decodes an event that matches. An event of a newer version that cannot be decoded is skipped.
fn decode_match(filter: &EventFilter, record: Record) -> Option<EventView> {
    if !filter.may_match(&record.body) {
        return None;
    }
    let event: Event = serde_json::from_value(record.body).ok()?;
    filter.matches(&event).then_some(EventView { number: record.number?, event })
}
