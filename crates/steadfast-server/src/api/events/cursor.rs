//! How far a follower has come in what was read for all.
//!
//! What was read is shared and never copied: a follower holds on to it and to where it is in it,
//! and lets go of it at the end.

use std::sync::Arc;

use axum::body::Bytes;
use steadfast_api::EventFilter;

use crate::cache::event_feed::Reading;

/// A place in what was read.
#[derive(Debug)]
pub(super) struct Place {
    /// No event up to this number is still to come, but for what is left of the reading.
    last: i64,
    left: Option<Left>,
}

#[derive(Debug)]
struct Left {
    of: Arc<Reading>,
    next: usize,
    /// Those up to this number were told before.
    known: i64,
}

impl Place {
    /// Everything up to this number is known.
    pub(super) const fn after(last: i64) -> Self {
        Self { last, left: None }
    }

    /// No event up to this number is still to come, once everything was told.
    pub(super) const fn last(&self) -> i64 {
        self.last
    }

    /// Goes on with this when everything before it was told.
    pub(super) fn read(&mut self, reading: Arc<Reading>) {
        let known = self.last;
        self.last = known.max(reading.last);
        self.left = Some(Left { of: reading, next: 0, known });
    }

    /// The words of the next event that is wanted, if there is one.
    pub(super) fn next(&mut self, filter: &EventFilter) -> Option<Bytes> {
        let Left { of, next, known } = self.left.as_mut()?;
        let rest = of.events.get(*next..).unwrap_or_default();
        let found = rest.iter().position(|one| one.number > *known && filter.matches(&one.event));
        let Some(found) = found else {
            self.left = None;
            return None;
        };
        *next += found + 1;
        rest.get(found).map(|told| told.words.clone())
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

    fn reading(after: i64, operations: &[&str]) -> Arc<Reading> {
        let items = (after + 1..).zip(operations).map(|(number, name)| event(number, name));
        let items: Vec<_> = items.collect();
        let last = items.last().map_or(after, |event| event.number);
        Arc::new(Reading::new(after, Events { items, last }))
    }

    fn numbers(place: &mut Place, filter: &EventFilter) -> Vec<String> {
        let words = std::iter::from_fn(|| place.next(filter));
        let id = |words: Bytes| String::from_utf8_lossy(&words).lines().next().unwrap().to_owned();
        words.map(id).collect()
    }

    /// K4: an event is written once, however many are told it.
    #[test]
    fn all_who_follow_are_told_the_same_bytes() {
        let only = event(1, "a");
        let events = Events { items: vec![only.clone()], last: 1 };
        let (reading, all) = (Arc::new(Reading::new(0, events)), EventFilter::default());
        let told: Vec<_> = (0..3)
            .filter_map(|_| {
                let mut place = Place::after(0);
                place.read(reading.clone());
                place.next(&all)
            })
            .collect();
        assert_eq!(told.len(), 3);
        assert!(told.iter().all(|words| words.as_ptr() == told[0].as_ptr()));
        let words = String::from_utf8(told[0].to_vec()).unwrap();
        let data = words.strip_prefix("id: 1\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
        assert_eq!(serde_json::from_str::<EventView>(data).unwrap(), only);
    }

    /// K4: what is held for one follower has a bound, and the rest of it is read again.
    #[test]
    fn a_reading_is_cut_where_it_is_long_enough() {
        let whole = || Arc::into_inner(reading(4, &["a", "b", "c"])).unwrap();
        let words = whole().events[0].words.len();
        for (bytes, last) in [(0, 4), (1, 5), (words, 5), (words + 1, 6), (usize::MAX, 7)] {
            let cut = whole().up_to(bytes);
            assert_eq!((cut.after, cut.last, cut.events.len()), (4, last, (last - 4) as usize));
        }
    }

    /// H1: everybody is told what they want, in order, and nothing twice.
    #[test]
    fn each_is_told_what_it_wants_and_does_not_know() {
        let operation = Some("b".to_owned());
        let only_b = EventFilter { operation, ..EventFilter::default() };
        let mut place = Place::after(2);
        place.read(reading(0, &["b", "a", "b", "a", "b"]));
        assert_eq!(numbers(&mut place, &only_b), ["id: 3", "id: 5"]);
        assert_eq!(place.last(), 5);
        place.read(reading(4, &["b", "b"]));
        assert_eq!(numbers(&mut place, &only_b), ["id: 6"]);
    }

    /// K4: what was read is let go of when it was told.
    #[test]
    fn nobody_holds_on_to_what_it_has_told() {
        let (reading, mut place) = (reading(0, &["a"]), Place::after(0));
        place.read(reading.clone());
        assert_eq!(Arc::strong_count(&reading), 2);
        numbers(&mut place, &EventFilter::default());
        assert_eq!(Arc::strong_count(&reading), 1);
    }
}
