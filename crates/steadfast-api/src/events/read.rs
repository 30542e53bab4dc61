//! What happened, for whoever looks and for whoever follows (O1).

use serde::{Deserialize, Serialize};
use steadfast::observe::Event;
use steadfast_store::{Cursor, Page, PageRequest, Record, RecordKind, Store, StoreError};

use super::filter::EventFilter;

/// The most events that one answer has.
const LARGEST: u32 = 1000;
/// How many of the last events are looked at for those that are wanted.
const LOOKS_BACK: usize = 10_000;

/// From where on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventsFrom {
    /// The last ones that there are.
    Latest,
    /// Those after the one of this number.
    After(i64),
}

/// An event, and its number: greater than that of every event before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventView {
    /// The number.
    pub number: i64,
    /// The event.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Event))]
    pub event: Event,
}

/// Some events, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Events {
    /// The events.
    pub items: Vec<EventView>,
    /// Where to go on: no event up to this number is still to come.
    pub last: i64,
}

pub(crate) async fn read(
    store: &Store,
    filter: &EventFilter,
    from: EventsFrom,
    limit: u32,
) -> Result<Events, StoreError> {
    let limit = limit.clamp(1, LARGEST);
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
        items: records.into_iter().filter_map(|record| wanted(filter, record)).collect(),
        last,
    })
}

async fn latest(store: &Store, filter: &EventFilter, limit: u32) -> Result<Events, StoreError> {
    let mut events = Events { items: Vec::new(), last: 0 };
    let (mut after, mut looked_at): (Option<Cursor>, usize) = (None, 0);
    // Without a filter every one is wanted.
    let at_a_time = if *filter == EventFilter::default() { limit } else { LARGEST };
    loop {
        let page = PageRequest { limit: at_a_time, after };
        let Page { items, next } = store.records(RecordKind::Event, &page).await?;
        looked_at += items.len();
        let newest = items.first().and_then(|record| record.number).unwrap_or_default();
        events.last = events.last.max(newest);
        let room = (limit as usize).saturating_sub(events.items.len());
        events
            .items
            .extend(items.into_iter().filter_map(|record| wanted(filter, record)).take(room));
        let is_enough = events.items.len() >= limit as usize || looked_at >= LOOKS_BACK;
        if next.is_none() || is_enough {
            events.items.reverse();
            return Ok(events);
        }
        after = next;
    }
}

/// An event that only a newer version can read is left out.
fn wanted(filter: &EventFilter, record: Record) -> Option<EventView> {
    if !filter.may_match(&record.body) {
        return None;
    }
    let event: Event = serde_json::from_value(record.body).ok()?;
    filter.matches(&event).then_some(EventView { number: record.number?, event })
}
