//! The prefetched tasks of one queue, and its concurrency limit.

use std::cmp::Reverse;
use std::collections::VecDeque;

use jiff::Timestamp;
use steadfast_store::{Claimed, TaskId};

use super::prefetch::PrefetchedTask;
use super::prefetch_depth::PrefetchDepth;

/// A task's position in claim order: the smallest goes first.
pub(super) fn claim_order(claimed: &Claimed) -> (Reverse<i16>, Timestamp, TaskId) {
    (Reverse(claimed.priority), claimed.submitted_at, claimed.id)
}

#[derive(Debug)]
pub(super) struct QueueBuffer {
    /// The queue; `None` for the tasks of every queue.
    pub(super) queue: Option<String>,
    limit: u32,
    pub(super) running: u32,
    pub(super) tasks: VecDeque<PrefetchedTask>,
    pub(super) depth: PrefetchDepth,
    /// Whether the last claim skipped this queue because it was full.
    pub(super) skipped: bool,
}

/// The number of running and prefetched tasks, and their limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) limit: u32,
    pub(super) max_prefetched: u32,
    pub(super) running: u32,
    pub(super) prefetched: u32,
}

impl Load {
    /// How many more tasks can be claimed.
    pub(super) const fn capacity(self) -> u32 {
        let max = self.limit.saturating_add(self.max_prefetched);
        max.saturating_sub(self.running).saturating_sub(self.prefetched)
    }

    /// Whether a runner is idle, or half of the prefetched tasks have started.
    pub(super) const fn should_claim(self) -> bool {
        let idle = self.running + self.prefetched < self.limit;
        self.capacity() > 0 && (idle || self.prefetched * 2 <= self.max_prefetched)
    }
}

impl QueueBuffer {
    pub(super) fn new(queue: Option<String>, limit: u32) -> Self {
        let (tasks, depth) = (VecDeque::new(), PrefetchDepth::default());
        Self { queue, limit, running: 0, tasks, depth, skipped: false }
    }

    pub(super) fn accepts(&self, queue: &str) -> bool {
        self.queue.as_deref().is_none_or(|name| name == queue)
    }

    pub(super) fn load(&self) -> Load {
        Load {
            limit: self.limit,
            max_prefetched: self.depth.tasks(self.limit),
            running: self.running,
            prefetched: u32::try_from(self.tasks.len()).unwrap_or(u32::MAX / 4),
        }
    }

    /// The task that starts next, if the queue's limit allows one.
    pub(super) fn next_to_start(&self) -> Option<&PrefetchedTask> {
        if self.running < self.limit { self.tasks.front() } else { None }
    }

    pub(super) fn start_next(&mut self) -> Option<PrefetchedTask> {
        let task = self.tasks.pop_front()?;
        self.running += 1;
        Some(task)
    }

    /// Restores claim order, which mostly holds already.
    pub(super) fn sort(&mut self) {
        let tasks = self.tasks.make_contiguous();
        if !tasks.is_sorted_by_key(|task| claim_order(&task.claimed)) {
            tasks.sort_by_key(|task| claim_order(&task.claimed));
        }
    }

    pub(super) fn remove(
        &mut self,
        matches: impl Fn(&PrefetchedTask) -> bool,
    ) -> Vec<PrefetchedTask> {
        if !self.tasks.iter().any(&matches) {
            return Vec::new();
        }
        let (removed, rest) = self.tasks.drain(..).partition::<Vec<_>, _>(matches);
        self.tasks = rest.into();
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Load = Load { limit: 4, max_prefetched: 10, running: 0, prefetched: 0 };

    #[test]
    fn capacity_counts_running_and_prefetched_tasks() {
        assert_eq!(IDLE.capacity(), 14);
        assert_eq!(Load { running: 4, prefetched: 7, ..IDLE }.capacity(), 3);
        assert_eq!(Load { running: 4, prefetched: 30, ..IDLE }.capacity(), 0);
    }

    #[test]
    fn claim_waits_until_half_of_the_prefetched_tasks_have_started() {
        assert!(IDLE.should_claim());
        assert!(!Load { running: 4, prefetched: 6, ..IDLE }.should_claim());
        assert!(Load { running: 4, prefetched: 5, ..IDLE }.should_claim());
    }

    #[test]
    fn idle_runner_is_worth_a_claim_of_one() {
        let long_tasks = Load { max_prefetched: 0, running: 3, ..IDLE };
        assert!(long_tasks.should_claim());
        assert_eq!(long_tasks.capacity(), 1);
        assert!(!Load { running: 4, ..long_tasks }.should_claim());
    }
}
