//! The tasks of one queue, and how many of them may run.

use std::cmp::Reverse;
use std::collections::VecDeque;

use jiff::Timestamp;
use steadfast_store::{Claimed, TaskId};

use super::Waiting;
use crate::prefetch_depth::Pace;

/// Where a task stands in the store's line: the smallest goes first.
pub(super) fn order(claimed: &Claimed) -> (Reverse<i16>, Timestamp, TaskId) {
    (Reverse(claimed.priority), claimed.submitted_at, claimed.id)
}

#[derive(Debug)]
pub(super) struct Shelf {
    /// The queue; nothing if it holds the tasks of every queue.
    pub(super) queue: Option<String>,
    limit: u32,
    pub(super) running: u32,
    waiting: VecDeque<Waiting>,
    pub(super) pace: Pace,
    /// Whether there was no room for its queue when there was for others.
    pub(super) left_out: bool,
}

/// How much there is, and how much there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) limit: u32,
    pub(super) ahead: u32,
    pub(super) running: u32,
    pub(super) waiting: u32,
}

impl Load {
    /// How many more there may be.
    pub(super) const fn room(self) -> u32 {
        let most = self.limit.saturating_add(self.ahead);
        most.saturating_sub(self.running).saturating_sub(self.waiting)
    }

    /// Somebody has nothing to do, or half of what was claimed ahead is used up.
    pub(super) const fn is_worth_a_claim(self) -> bool {
        let idle = self.running + self.waiting < self.limit;
        self.room() > 0 && (idle || self.waiting * 2 <= self.ahead)
    }
}

impl Shelf {
    pub(super) fn of(queue: &str, limit: u32) -> Self {
        Self { queue: Some(queue.to_owned()), ..Self::of_every_queue(limit) }
    }

    pub(super) fn of_every_queue(limit: u32) -> Self {
        let (waiting, pace) = (VecDeque::new(), Pace::default());
        Self { queue: None, limit, running: 0, waiting, pace, left_out: false }
    }

    pub(super) fn is_of(&self, queue: &str) -> bool {
        self.queue.as_deref().is_none_or(|name| name == queue)
    }

    pub(super) fn load(&self) -> Load {
        Load {
            limit: self.limit,
            ahead: self.pace.ahead(self.limit),
            running: self.running,
            waiting: u32::try_from(self.waiting.len()).unwrap_or(u32::MAX / 4),
        }
    }

    /// The task that goes next, if the queue's limit allows one.
    pub(super) fn first_to_start(&self) -> Option<&Waiting> {
        if self.running < self.limit { self.waiting.front() } else { None }
    }

    pub(super) fn start_first(&mut self) -> Option<Waiting> {
        let first = self.waiting.pop_front()?;
        self.running += 1;
        Some(first)
    }

    pub(super) fn put(&mut self, task: Waiting) {
        self.waiting.push_back(task);
    }

    /// Brings the tasks into the order of the line. They mostly are.
    pub(super) fn sort(&mut self) {
        let tasks = self.waiting.make_contiguous();
        if !tasks.is_sorted_by_key(|task| order(&task.claimed)) {
            tasks.sort_by_key(|task| order(&task.claimed));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.iter()
    }

    pub(super) fn remove(&mut self, which: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        if !self.waiting.iter().any(&which) {
            return Vec::new();
        }
        let (gone, kept) = self.waiting.drain(..).partition::<Vec<_>, _>(which);
        self.waiting = kept.into();
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Load = Load { limit: 4, ahead: 10, running: 0, waiting: 0 };

    #[test]
    fn there_is_room_for_what_may_run_and_what_is_claimed_ahead() {
        assert_eq!(IDLE.room(), 14);
        assert_eq!(Load { running: 4, waiting: 7, ..IDLE }.room(), 3);
        assert_eq!(Load { running: 4, waiting: 30, ..IDLE }.room(), 0);
    }

    #[test]
    fn a_claim_waits_until_half_of_what_was_claimed_ahead_is_used_up() {
        assert!(IDLE.is_worth_a_claim());
        assert!(!Load { running: 4, waiting: 6, ..IDLE }.is_worth_a_claim());
        assert!(Load { running: 4, waiting: 5, ..IDLE }.is_worth_a_claim());
    }

    #[test]
    fn a_free_hand_is_worth_a_claim_of_one() {
        let long_tasks = Load { ahead: 0, running: 3, ..IDLE };
        assert!(long_tasks.is_worth_a_claim());
        assert_eq!(long_tasks.room(), 1);
        assert!(!Load { running: 4, ..long_tasks }.is_worth_a_claim());
    }
}
