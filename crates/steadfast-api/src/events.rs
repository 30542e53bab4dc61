//! What happened, for whoever looks and for whoever follows (O1).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::{Event, EventType};
use steadfast_store::{Cursor, Page, PageRequest, Record, RecordKind, Store, StoreError};

/// The most events that one answer has.
const LARGEST: u32 = 1000;
/// How many of the last events are looked at for those that are wanted.
const LOOKS_BACK: usize = 10_000;

/// Which events. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct EventFilter {
    /// That tell of this.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schemas::EventType>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::schemas::EventType>))]
    pub event_type: Option<EventType>,
    /// Of sessions under this policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Of this session; a task's session is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Of what is tried: a task's kind, an operation's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// That belong to this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

impl EventFilter {
    /// Whether an event that was not read yet can be one of them. Most are not, and to read one
    /// takes longer than to look at a name.
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

    /// Whether an event is one of them.
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
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Event))]
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
