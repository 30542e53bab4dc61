//! The worker's position in claim order, and when to scan from the start.
//!
//! Tasks leave a queue at its head. PostgreSQL cannot remove rows that an old transaction could still
//! see, so a claim that starts at the head steps over everything that has left since: with an
//! hour-old report running beside a busy queue, that is millions of rows for every claim. So each
//! batch continues [after](steadfast_store::QueueLimit::after) the last task of the one before.
//!
//! Tasks that are ordered before the cursor (a retried task keeps its position, a higher priority
//! goes first) are only found by a scan from the start. That scan may cost anything, so it is
//! measured and limited to a twentieth of the time. Where it is cheap, an idle worker scans at once,
//! and a busy one twenty times a second. However expensive it was, an idle worker scans every few
//! seconds: the scan may have been slow because of a busy disk.
//!
//! A worker that claims only some kinds steps over all others, wherever it starts. In a queue full of
//! other kinds it also claims in at most a twentieth of the time, even when it is notified: most new
//! tasks are for other workers.

use std::collections::HashMap;
use std::time::Duration;

use steadfast_store::{ClaimCursor, Claimed, QueueLimit};
use tokio::time::Instant;

use super::prefetch::Capacity;

/// A scan from the start may take one part in this many of the time.
const SCAN_TIME_DIVISOR: u32 = 20;

/// How long a busy worker continues after the cursor before it scans from the start again.
const BUSY_SCAN_INTERVAL: Duration = Duration::from_millis(50);

/// The longest time that an idle worker goes without a scan from the start (D11).
const MAX_IDLE_SCAN_INTERVAL: Duration = Duration::from_secs(5);

/// A claim that costs no more than this follows a notification at once.
const CHEAP_CLAIM: Duration = Duration::from_millis(10);

/// With more queues than this, a cursor for each costs more than it saves.
const MAX_CURSOR_QUEUES: usize = 16;

/// Where in claim order a claim starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimScope {
    FromStart,
    AfterCursor,
}

/// The cursor of each queue, and what claims have cost.
#[derive(Debug, Default)]
pub(super) struct ClaimCursors {
    /// The position of the last claimed task of each queue.
    cursors: HashMap<String, ClaimCursor>,
    from_start: Option<LastClaim>,
    after_cursor: Option<LastClaim>,
    /// The duration of the fastest claim: the round trip to the database.
    round_trip: Option<Duration>,
    busy: bool,
}

/// The last claim of a scope.
#[derive(Clone, Copy, Debug)]
struct LastClaim {
    ended: Instant,
    took: Duration,
    /// The duration of the one before: a single slow claim is an outlier.
    previous: Duration,
}

impl ClaimCursors {
    pub(super) fn full_scan_due(&self) -> Option<Instant> {
        let last = self.from_start?;
        let min_interval = self.cost(&last).saturating_mul(SCAN_TIME_DIVISOR);
        let interval = if self.busy {
            min_interval.max(BUSY_SCAN_INTERVAL)
        } else {
            min_interval.min(MAX_IDLE_SCAN_INTERVAL)
        };
        Some(last.ended + interval)
    }

    fn cost(&self, last: &LastClaim) -> Duration {
        last.took.min(last.previous).saturating_sub(self.round_trip.unwrap_or_default())
    }

    pub(super) fn scope(&self, now: Instant) -> ClaimScope {
        let due = self.full_scan_due().is_none_or(|due| due <= now);
        if due || self.cursors.is_empty() || self.cursors.len() > MAX_CURSOR_QUEUES {
            return ClaimScope::FromStart;
        }
        ClaimScope::AfterCursor
    }

    /// When to claim after a notification, for a worker that claims only some kinds.
    pub(super) fn earliest_filtered_claim(&self, now: Instant) -> Instant {
        let last = match self.scope(now) {
            ClaimScope::AfterCursor => self.after_cursor,
            ClaimScope::FromStart => self.from_start,
        };
        match last.map(|last| (last.ended, self.cost(&last))) {
            Some((ended, cost)) if cost > CHEAP_CLAIM => {
                now.max(ended + cost.saturating_mul(SCAN_TIME_DIVISOR).min(MAX_IDLE_SCAN_INTERVAL))
            }
            _ => now,
        }
    }

    /// The lanes to claim from; empty for a scan of every queue from the start.
    pub(super) fn queue_limits(&self, scope: ClaimScope, capacity: &Capacity) -> Vec<QueueLimit> {
        let queue_limit = |queue: &String, limit| {
            let after =
                self.cursors.get(queue).filter(|_| scope == ClaimScope::AfterCursor).copied();
            QueueLimit { queue: queue.clone(), limit, after }
        };
        if capacity.queues.is_empty() && scope == ClaimScope::AfterCursor {
            return self.cursors.keys().map(|queue| queue_limit(queue, capacity.total)).collect();
        }
        capacity.queues.iter().map(|(queue, limit)| queue_limit(queue, *limit)).collect()
    }

    pub(super) fn record(
        &mut self,
        scope: ClaimScope,
        took: Duration,
        tasks: &[Claimed],
        full: bool,
    ) {
        self.busy = full;
        self.round_trip = Some(self.round_trip.map_or(took, |fastest| fastest.min(took)));
        let last = match scope {
            ClaimScope::FromStart => &mut self.from_start,
            ClaimScope::AfterCursor => &mut self.after_cursor,
        };
        let previous = last.map_or(Duration::ZERO, |last| last.took);
        *last = Some(LastClaim { ended: Instant::now(), took, previous });
        for task in tasks {
            match self.cursors.get_mut(&task.queue) {
                Some(cursor) => *cursor = task.cursor(),
                None => drop(self.cursors.insert(task.queue.clone(), task.cursor())),
            }
        }
        if self.cursors.len() > MAX_CURSOR_QUEUES {
            self.cursors.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use steadfast_store::{ClaimRequest, Store, Task};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// The cursors after two scans from the start that took this long, at a round trip of 1 ms.
    fn after_scans(took: Duration, full: bool) -> ClaimCursors {
        let mut cursors = ClaimCursors::default();
        cursors.record(ClaimScope::AfterCursor, MS, &[], false);
        cursors.record(ClaimScope::FromStart, took, &[], full);
        cursors.record(ClaimScope::FromStart, took, &[], full);
        cursors
    }

    fn time_to_scan(cursors: &ClaimCursors) -> Duration {
        cursors.full_scan_due().unwrap() - Instant::now()
    }

    fn time_to_filtered_claim(cursors: &ClaimCursors) -> Duration {
        cursors.earliest_filtered_claim(Instant::now()) - Instant::now()
    }

    #[tokio::test(start_paused = true)]
    async fn first_claim_starts_from_the_start() {
        assert_eq!(ClaimCursors::default().scope(Instant::now()), ClaimScope::FromStart);
    }

    /// D11: a notification is followed by a claim at once where claims are cheap.
    #[tokio::test(start_paused = true)]
    async fn notified_claim_that_is_cheap_is_made_at_once() {
        assert_eq!(time_to_filtered_claim(&ClaimCursors::default()), Duration::ZERO);
        assert_eq!(time_to_filtered_claim(&after_scans(MS, false)), Duration::ZERO);
    }

    /// D5, D19: a queue full of tasks for other workers is not scanned for each new one, neither from
    /// the start nor after the cursor.
    #[tokio::test]
    async fn notified_claim_in_a_queue_of_other_kinds_is_delayed() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        store.submit(Task::new("resize", &1)).await.unwrap();
        let other_kinds = store.claim(&ClaimRequest::new("w-1", 1)).await.unwrap().tasks;
        tokio::time::pause();

        let mut cursors = after_scans(MS, false);
        cursors.record(ClaimScope::FromStart, 101 * MS, &[], false);
        assert_eq!(
            time_to_filtered_claim(&cursors),
            Duration::ZERO,
            "one slow claim is an outlier"
        );
        cursors.record(ClaimScope::FromStart, 101 * MS, &[], false);
        assert_eq!(time_to_filtered_claim(&cursors), 2000 * MS);

        cursors.record(ClaimScope::AfterCursor, MS, &other_kinds, false);
        assert_eq!(
            time_to_filtered_claim(&cursors),
            Duration::ZERO,
            "no cost after this cursor yet"
        );
        cursors.record(ClaimScope::AfterCursor, 51 * MS, &[], false);
        cursors.record(ClaimScope::AfterCursor, 51 * MS, &[], false);
        assert_eq!(time_to_filtered_claim(&cursors), 1000 * MS);
    }

    /// D11: an idle worker may scan again at once.
    #[tokio::test(start_paused = true)]
    async fn full_scan_that_is_cheap_is_due_at_once_when_idle() {
        assert_eq!(time_to_scan(&after_scans(MS, false)), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn full_scan_of_a_busy_worker_is_due_twenty_times_a_second() {
        assert_eq!(time_to_scan(&after_scans(MS, true)), BUSY_SCAN_INTERVAL);
    }

    /// D5: a queue full of dead rows is scanned, but in at most a twentieth of the time.
    #[tokio::test(start_paused = true)]
    async fn full_scan_that_is_expensive_takes_a_twentieth_of_the_time() {
        assert_eq!(time_to_scan(&after_scans(201 * MS, true)), 4000 * MS);
    }

    /// D11: slow scans do not keep an idle worker from scanning for long.
    #[tokio::test(start_paused = true)]
    async fn full_scan_of_an_idle_worker_is_due_every_few_seconds() {
        assert_eq!(time_to_scan(&after_scans(2001 * MS, false)), MAX_IDLE_SCAN_INTERVAL);
        assert_eq!(time_to_scan(&after_scans(2001 * MS, true)), 40_000 * MS);
    }

    /// D11: one slow answer of the database does not delay the next scan.
    #[tokio::test(start_paused = true)]
    async fn full_scan_interval_ignores_one_slow_scan() {
        let mut cursors = after_scans(MS, false);
        cursors.record(ClaimScope::FromStart, 201 * MS, &[], false);
        assert_eq!(time_to_scan(&cursors), Duration::ZERO);
        cursors.record(ClaimScope::FromStart, 201 * MS, &[], false);
        assert_eq!(time_to_scan(&cursors), 4000 * MS);
    }
}
