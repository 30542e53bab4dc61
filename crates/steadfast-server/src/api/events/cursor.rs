//! A subscriber's position in the event feed.
//!
//! Batches are shared and never copied: a cursor holds one and an index into it, and releases it at its
//! end.

use std::sync::Arc;

use axum::body::Bytes;
use steadfast_api::EventFilter;

use crate::cache::EventBatch;

pub(super) struct Cursor {
    /// Events up to this number are delivered or in the current batch.
    last: i64,
    current: Option<Current>,
}

struct Current {
    batch: Arc<EventBatch>,
    next: usize,
    /// Events up to this number were delivered before.
    delivered: i64,
}

impl Cursor {
    pub(super) const fn after(last: i64) -> Self {
        Self { last, current: None }
    }

    /// The number of the last event once the current batch is delivered.
    pub(super) const fn last(&self) -> i64 {
        self.last
    }

    pub(super) fn load(&mut self, batch: Arc<EventBatch>) {
        let delivered = self.last;
        self.last = delivered.max(batch.last);
        self.current = Some(Current { batch, next: 0, delivered });
    }

    /// The next matching event of the current batch, encoded.
    pub(super) fn next(&mut self, filter: &EventFilter) -> Option<Bytes> {
        let Current { batch, next, delivered } = self.current.as_mut()?;
        let rest = batch.events.get(*next..).unwrap_or_default();
        let found = rest.iter().position(|it| it.number > *delivered && filter.matches(&it.event));
        let Some(found) = found else {
            self.current = None;
            return None;
        };
        *next += found + 1;
        rest.get(found).map(|event| event.encoded.clone())
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use steadfast::Policy;
    use steadfast::observe::{Event, EventType, Subject};
    use steadfast_api::{EventView, Events};

    use super::*;

    fn event(number: i64, operation: &str) -> EventView {
        let subject =
            Subject::of(&Policy::immediate().build().unwrap(), operation, "s", None, "worker");
        let at = Timestamp::UNIX_EPOCH;
        EventView { number, event: Event::new(EventType::RetryFailure, at, &subject) }
    }

    fn batch(after: i64, operations: &[&str]) -> Arc<EventBatch> {
        let items = (after + 1..).zip(operations).map(|(number, name)| event(number, name));
        let items: Vec<_> = items.collect();
        let last = items.last().map_or(after, |event| event.number);
        Arc::new(EventBatch::new(after, Events { items, last }))
    }

    fn numbers(cursor: &mut Cursor, filter: &EventFilter) -> Vec<String> {
        let encoded = std::iter::from_fn(|| cursor.next(filter));
        let id =
            |encoded: Bytes| String::from_utf8_lossy(&encoded).lines().next().unwrap().to_owned();
        encoded.map(id).collect()
    }

    /// K4: an event is serialized once for all subscribers.
    #[test]
    fn subscribers_share_encoded_bytes() {
        let only = event(1, "a");
        let events = Events { items: vec![only.clone()], last: 1 };
        let (batch, all) = (Arc::new(EventBatch::new(0, events)), EventFilter::default());
        let delivered: Vec<_> = (0..3)
            .filter_map(|_| {
                let mut cursor = Cursor::after(0);
                cursor.load(batch.clone());
                cursor.next(&all)
            })
            .collect();
        assert_eq!(delivered.len(), 3);
        assert!(delivered.iter().all(|bytes| bytes.as_ptr() == delivered[0].as_ptr()));
        let text = String::from_utf8(delivered[0].to_vec()).unwrap();
        let data = text.strip_prefix("id: 1\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
        assert_eq!(serde_json::from_str::<EventView>(data).unwrap(), only);
    }

    /// K4: a batch held for one subscriber is limited in size, and the rest is read again.
    #[test]
    fn oversized_batch_is_truncated() {
        let whole = || Arc::into_inner(batch(4, &["a", "b", "c"])).unwrap();
        let size = whole().events[0].encoded.len();
        for (bytes, last) in [(0, 4), (1, 5), (size, 5), (size + 1, 6), (usize::MAX, 7)] {
            let cut = whole().truncated(bytes);
            assert_eq!((cut.after, cut.last, cut.events.len()), (4, last, (last - 4) as usize));
        }
    }

    /// H1: a subscriber gets matching events in order, and none twice.
    #[test]
    fn cursor_delivers_matching_events_once() {
        let operation = Some("b".to_owned());
        let only_b = EventFilter { operation, ..EventFilter::default() };
        let mut cursor = Cursor::after(2);
        cursor.load(batch(0, &["b", "a", "b", "a", "b"]));
        assert_eq!(numbers(&mut cursor, &only_b), ["id: 3", "id: 5"]);
        assert_eq!(cursor.last(), 5);
        cursor.load(batch(4, &["b", "b"]));
        assert_eq!(numbers(&mut cursor, &only_b), ["id: 6"]);
    }

    /// K4: a delivered batch is released.
    #[test]
    fn delivered_batch_is_released() {
        let (batch, mut cursor) = (batch(0, &["a"]), Cursor::after(0));
        cursor.load(batch.clone());
        assert_eq!(Arc::strong_count(&batch), 2);
        numbers(&mut cursor, &EventFilter::default());
        assert_eq!(Arc::strong_count(&batch), 1);
    }
}
