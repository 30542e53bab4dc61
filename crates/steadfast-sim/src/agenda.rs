//! What happens next.
//!
//! A million clients make tens of millions of events, so the queue is what a simulation spends
//! its time in. Events lie unsorted in buckets of a millisecond; a bucket is sorted when its
//! turn comes, and only what is added to it meanwhile goes through a heap.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Something that a client does at a time, in nanoseconds. Of two at the same time the one of
/// the earlier client goes first, so that a run can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub(crate) at: u64,
    pub(crate) client: u32,
    pub(crate) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// An attempt begins.
    Begin,
    /// The attempt under way ends.
    End,
}

/// A bucket is 2²⁰ ns wide.
const WIDTH: u32 = 20;

#[derive(Default)]
pub(crate) struct Agenda {
    /// The bucket whose turn it is.
    bucket: u64,
    /// Its events, the next one last.
    sorted: Vec<Event>,
    /// Its events that came later.
    added: BinaryHeap<Reverse<Event>>,
    /// The other buckets.
    later: BTreeMap<u64, Vec<Event>>,
    /// An empty one to be used again.
    spare: Vec<Vec<Event>>,
}

impl Agenda {
    pub(crate) fn push(&mut self, event: Event) {
        let bucket = event.at >> WIDTH;
        if bucket <= self.bucket {
            self.added.push(Reverse(event));
            return;
        }
        let spare = &mut self.spare;
        self.later.entry(bucket).or_insert_with(|| spare.pop().unwrap_or_default()).push(event);
    }

    /// When the next event is.
    pub(crate) fn next_at(&mut self) -> Option<u64> {
        if self.sorted.is_empty() && self.added.is_empty() {
            self.turn()?;
        }
        let sorted = self.sorted.last().map(|event| event.at);
        let added = self.added.peek().map(|Reverse(event)| event.at);
        sorted.into_iter().chain(added).min()
    }

    /// Takes the next event.
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

    /// Goes on to the next bucket that has something in it.
    fn turn(&mut self) -> Option<()> {
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
        /// M1: whatever is added while it runs, events come in the order of their time.
        #[test]
        fn events_come_in_order(
            first in prop::collection::vec(0_u64..1 << 24, 0..200),
            follow in prop::collection::vec(0_u64..1 << 22, 0..200),
        ) {
            let mut agenda = Agenda::default();
            let event = |at, client| Event { at, client, what: What::Begin };
            for (client, at) in (0_u32..).zip(&first) {
                agenda.push(event(*at, client));
            }
            let mut follow = follow.into_iter();
            let (mut last, mut count, mut expected) = (0, 0, first.len());
            while let Some(next) = agenda.pop() {
                prop_assert!(next.at >= last);
                (last, count) = (next.at, count + 1);
                if let Some(delay) = follow.next() {
                    agenda.push(event(next.at + delay, next.client));
                    expected += 1;
                }
            }
            prop_assert_eq!(count, expected);
        }
    }
}
