//! The prefetch buffer: claimed tasks that wait for a runner.
//!
//! The claim loop adds batches, runners take single tasks. One buffer per queue enforces the queue's
//! own limit; together they determine the capacity for the next claim. Each buffer holds its tasks in
//! claim order, so one that was claimed later but is ordered earlier starts first (D5).
//!
//! A task that has waited here for a second will not start soon, whatever was measured. It is
//! released, so that another worker can claim it.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use steadfast_store::{Claimed, FencingToken, TaskId};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::prefetch_depth::MAX_PREFETCH;
use super::queue_buffer::{Load, QueueBuffer, claim_order};
use crate::config::Config;
use crate::store_clock::StoreClock;
use crate::sync::lock;

/// A task that has waited this long is released.
pub(super) const MAX_PREFETCH_WAIT: Duration = Duration::from_secs(1);

/// A claimed task, and the store's clock at its claim.
#[derive(Debug)]
pub(crate) struct PrefetchedTask {
    pub(crate) claimed: Claimed,
    pub(crate) clock: StoreClock,
}

/// A slot of a queue's limit, returned when its task has ended.
#[derive(Debug)]
pub(crate) struct QueueSlot {
    buffer: usize,
    started: Instant,
}

/// How many tasks can be claimed now.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) total: u32,
    /// The capacity of each queue; every queue if empty.
    pub(super) queues: Vec<(String, u32)>,
}

#[derive(Debug)]
pub(crate) struct Prefetch {
    buffers: Mutex<Buffers>,
    /// Wakes runners when there are tasks.
    filled: Notify,
    /// Wakes the claim loop when there may be capacity.
    pub(super) has_capacity: Notify,
    /// Wakes the claim loop when a queue that the last claim skipped has capacity again.
    pub(super) queue_reopened: Notify,
}

#[derive(Debug)]
struct Buffers {
    queues: Vec<QueueBuffer>,
    runners: u32,
    idle_runners: u32,
    /// Whether the claim loop has been notified of the current capacity.
    notified: bool,
    closed: bool,
}

impl Prefetch {
    pub(crate) fn new(config: &Config) -> Self {
        let runners = config.concurrency;
        let mut queues: Vec<_> = config
            .queues
            .iter()
            .map(|(queue, limit)| {
                QueueBuffer::new(Some(queue.clone()), limit.unwrap_or(runners).min(runners))
            })
            .collect();
        if queues.is_empty() {
            queues.push(QueueBuffer::new(None, runners));
        }
        let buffers = Buffers { queues, runners, idle_runners: 0, notified: false, closed: false };
        let [filled, has_capacity, queue_reopened] = std::array::from_fn(|_| Notify::new());
        Self { buffers: Mutex::new(buffers), filled, has_capacity, queue_reopened }
    }

    fn buffers(&self) -> MutexGuard<'_, Buffers> {
        lock(&self.buffers)
    }

    /// Waits for the next task; `None` once the buffer is closed. Returns the slot of the runner's
    /// previous task.
    pub(crate) async fn next(
        &self,
        previous: Option<QueueSlot>,
    ) -> Option<(PrefetchedTask, QueueSlot)> {
        // A runner whose tasks end at once must yield to others.
        tokio::task::coop::consume_budget().await;
        if let Some(next) = self.try_next(previous) {
            return Some(next);
        }
        self.buffers().idle_runners += 1;
        let next = loop {
            let mut filled = pin!(self.filled.notified());
            filled.as_mut().enable();
            let next = self.try_next(None);
            if next.is_some() || self.buffers().closed {
                break next;
            }
            filled.await;
        };
        self.buffers().idle_runners -= 1;
        next
    }

    fn try_next(&self, previous: Option<QueueSlot>) -> Option<(PrefetchedTask, QueueSlot)> {
        let now = Instant::now();
        let mut buffers = self.buffers();
        if let Some(slot) = previous {
            buffers.return_slot(&slot, now);
            if buffers.reopen_skipped() {
                self.queue_reopened.notify_one();
            }
        }
        if buffers.closed {
            return None;
        }
        let started = buffers.start_next();
        if !buffers.notified && buffers.capacity().is_some() {
            buffers.notified = true;
            self.has_capacity.notify_one();
        }
        let (task, buffer) = started?;
        // Each runner wakes the next one while there are tasks to start.
        if buffers.idle_runners > 0 && buffers.next_buffer().is_some() {
            self.filled.notify_one();
        }
        Some((task, QueueSlot { buffer, started: now }))
    }

    /// Adds a batch. Returns the tasks if the buffer is closed.
    pub(crate) fn add(&self, tasks: Vec<Claimed>, clock: StoreClock) -> Vec<PrefetchedTask> {
        let tasks = tasks.into_iter().map(|claimed| PrefetchedTask { claimed, clock });
        let mut buffers = self.buffers();
        if buffers.closed {
            return tasks.collect();
        }
        for task in tasks {
            buffers.push(task);
        }
        buffers.queues.iter_mut().for_each(QueueBuffer::sort);
        self.filled.notify_one();
        Vec::new()
    }

    /// The capacity for a claim; `None` while it is not worth a claim.
    pub(super) fn capacity(&self) -> Option<Capacity> {
        let mut buffers = self.buffers();
        let capacity = buffers.capacity();
        buffers.notified = capacity.is_some();
        if capacity.is_some() {
            buffers.mark_skipped();
        }
        capacity
    }

    pub(super) fn take_stale(&self, now: Instant) -> Vec<PrefetchedTask> {
        let is_stale =
            |task: &PrefetchedTask| now.duration_since(task.clock.read_at()) >= MAX_PREFETCH_WAIT;
        let mut all_stale = Vec::new();
        for queue in &mut self.buffers().queues {
            let stale = queue.remove(is_stale);
            if !stale.is_empty() {
                queue.depth.raise_mean_to(MAX_PREFETCH_WAIT);
            }
            all_stale.extend(stale);
        }
        all_stale
    }

    pub(crate) fn remove(
        &self,
        matches: impl Fn(TaskId, FencingToken) -> bool,
    ) -> Vec<PrefetchedTask> {
        let matches = |task: &PrefetchedTask| matches(task.claimed.id, task.claimed.fencing_token);
        let mut buffers = self.buffers();
        buffers.queues.iter_mut().flat_map(|queue| queue.remove(matches)).collect()
    }

    pub(crate) fn list(&self) -> Vec<(TaskId, FencingToken)> {
        let buffers = self.buffers();
        let tasks = buffers.queues.iter().flat_map(|queue| &queue.tasks);
        tasks.map(|task| (task.claimed.id, task.claimed.fencing_token)).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buffers().queues.iter().all(|queue| queue.tasks.is_empty())
    }

    /// Stops handing out tasks and returns those that are left.
    pub(crate) fn close(&self) -> Vec<PrefetchedTask> {
        self.buffers().closed = true;
        self.filled.notify_waiters();
        self.remove(|_, _| true)
    }
}

impl Buffers {
    fn return_slot(&mut self, slot: &QueueSlot, now: Instant) {
        if let Some(queue) = self.queues.get_mut(slot.buffer) {
            queue.running = queue.running.saturating_sub(1);
            queue.depth.record(now.duration_since(slot.started));
        }
    }

    /// The buffer whose first task starts next.
    fn next_buffer(&self) -> Option<usize> {
        let startable = self.queues.iter().enumerate().filter_map(|(index, queue)| {
            let first = queue.next_to_start()?;
            Some((claim_order(&first.claimed), index))
        });
        startable.min().map(|(_, index)| index)
    }

    fn start_next(&mut self) -> Option<(PrefetchedTask, usize)> {
        let index = self.next_buffer()?;
        let task = self.queues.get_mut(index)?.start_next()?;
        Some((task, index))
    }

    fn push(&mut self, task: PrefetchedTask) {
        let name = &task.claimed.queue;
        let index = self.queues.iter().position(|queue| queue.accepts(name));
        // The store returns only tasks of the requested queues.
        if let Some(queue) = self.queues.get_mut(index.unwrap_or(0)) {
            queue.tasks.push_back(task);
        }
    }

    /// Marks the queues that a claim made now skips.
    fn mark_skipped(&mut self) {
        for queue in &mut self.queues {
            queue.skipped = !queue.load().should_claim();
        }
    }

    /// Unmarks a skipped queue that has capacity again; `false` without one.
    fn reopen_skipped(&mut self) -> bool {
        let mut queues = self.queues.iter_mut();
        let reopened = queues.find(|queue| queue.skipped && queue.load().should_claim());
        reopened.is_some_and(|queue| std::mem::take(&mut queue.skipped))
    }

    fn capacity(&self) -> Option<Capacity> {
        let loads = || self.queues.iter().map(QueueBuffer::load);
        let all = Load {
            limit: self.runners,
            max_prefetched: loads().map(|load| load.max_prefetched).sum::<u32>().min(MAX_PREFETCH),
            running: loads().map(|load| load.running).sum(),
            prefetched: loads().map(|load| load.prefetched).sum(),
        };
        if self.closed || !all.should_claim() {
            return None;
        }
        let open: Vec<_> = self.queues.iter().filter(|queue| queue.load().should_claim()).collect();
        let queue_total = open.iter().map(|queue| queue.load().capacity()).sum::<u32>();
        let queues =
            open.iter().filter_map(|queue| Some((queue.queue.clone()?, queue.load().capacity())));
        let total = all.capacity().min(queue_total).min(MAX_PREFETCH);
        (total > 0).then(|| Capacity { total, queues: queues.collect() })
    }
}
