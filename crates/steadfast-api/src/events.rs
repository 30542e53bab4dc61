//! Events: filter and list (O1).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::{Event, EventType};
use steadfast_store::{Cursor, Page, PageRequest, Record, RecordKind, Store, StoreError};

/// The most events in one response.
const MAX_EVENTS: u32 = 1000;
/// The most events that are scanned for matches of a filter.
const MAX_SCANNED_EVENTS: usize = 10_000;

/// A filter of events. An event must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct EventFilter {
    /// The type of the event.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub event_type: Option<EventType>,
    /// The policy of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The session; the session of a task is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The operation: the kind of a task, or the name of an operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The correlation id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

impl EventFilter {
    /// Whether an event can match, by its JSON. Most do not, and this is faster than decoding it.
    fn may_match(&self, body: &Value) -> bool {
        let is = |wanted: Option<&str>, field: &str| {
            wanted.is_none_or(|wanted| body.get(field).and_then(Value::as_str) == Some(wanted))
        };
        is(self.event_type.map(EventType::name), "event_type")
            && is(self.policy.as_deref(), "policy_id")
            && is(self.session.as_deref(), "session_id")
            && is(self.operation.as_deref(), "operation")
            && is(self.correlation_id.as_deref(), "correlation_id")
    }

    /// Whether an event matches.
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        let is = |wanted: &Option<String>, given: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == given)
        };
        self.event_type.is_none_or(|wanted| wanted == event.event_type)
            && is(&self.policy, &event.policy_id)
            && is(&self.session, &event.session_id)
            && is(&self.operation, &event.operation)
            && is(&self.correlation_id, &event.correlation_id)
    }
}

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
