//! The event queue of a simulation.
//!
//! A million clients cause tens of millions of events, so the queue dominates the run time. Events
//! are unsorted in buckets of about a millisecond; a bucket is sorted when it becomes current, and
//! only events added to the current bucket go through a heap.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An event of a client at a time, in nanoseconds. Events at the same time are ordered by client, so
/// that a run is deterministic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub(crate) at: u64,
    pub(crate) client: u32,
    pub(crate) kind: EventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventKind {
    /// An attempt starts.
    Start,
    /// The current attempt ends.
    End,
}

/// A bucket spans 2²⁰ ns.
const BUCKET_BITS: u32 = 20;

#[derive(Default)]
pub(crate) struct EventQueue {
    bucket: u64,
    /// Its events in reverse order.
    sorted: Vec<Event>,
    /// Events added to it meanwhile.
    added: BinaryHeap<Reverse<Event>>,
    later: BTreeMap<u64, Vec<Event>>,
    /// Empty buckets for reuse.
    spare: Vec<Vec<Event>>,
}

impl EventQueue {
    pub(crate) fn push(&mut self, event: Event) {
        let bucket = event.at >> BUCKET_BITS;
        if bucket <= self.bucket {
            self.added.push(Reverse(event));
            return;
        }
        let spare = &mut self.spare;
        self.later.entry(bucket).or_insert_with(|| spare.pop().unwrap_or_default()).push(event);
    }

    pub(crate) fn next_at(&mut self) -> Option<u64> {
        if self.sorted.is_empty() && self.added.is_empty() {
            self.next_bucket()?;
        }
        let sorted = self.sorted.last().map(|event| event.at);
        let added = self.added.peek().map(|Reverse(event)| event.at);
        sorted.into_iter().chain(added).min()
    }

    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.next_at()?;
        match (self.sorted.last(), self.added.peek()) {
            (Some(sorted), Some(Reverse(added))) if added < sorted => self.take_added(),
            (Some(_), _) => self.sorted.pop(),
            (None, _) => self.take_added(),
        }
    }

    fn take_added(&mut self) -> Option<Event> {
        self.added.pop().map(|Reverse(event)| event)
    }

    /// Makes the next bucket current.
    fn next_bucket(&mut self) -> Option<()> {
        let (bucket, mut events) = self.later.pop_first()?;
        events.sort_unstable_by(|a, b| b.cmp(a));
        self.bucket = bucket;
        self.spare.push(std::mem::replace(&mut self.sorted, events));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// M1: events are returned in the order of time, also those added meanwhile.
        #[test]
        fn events_are_returned_in_order(
            first in prop::collection::vec(0_u64..1 << 24, 0..200),
            follow in prop::collection::vec(0_u64..1 << 22, 0..200),
        ) {
            let mut queue = EventQueue::default();
            let event = |at, client| Event { at, client, kind: EventKind::Start };
            for (client, at) in (0_u32..).zip(&first) {
                queue.push(event(*at, client));
            }
            let mut follow = follow.into_iter();
            let (mut last, mut count, mut expected) = (0, 0, first.len());
            while let Some(next) = queue.pop() {
                prop_assert!(next.at >= last);
                (last, count) = (next.at, count + 1);
                if let Some(delay) = follow.next() {
                    queue.push(event(next.at + delay, next.client));
                    expected += 1;
                }
            }
            prop_assert_eq!(count, expected);
        }
    }
}
