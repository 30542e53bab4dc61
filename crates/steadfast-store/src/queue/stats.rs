//! Task counts of the store and its queues (D15), and their activity over time.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The number of tasks in each state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Pending tasks.
    pub pending: u64,
    /// Scheduled tasks.
    pub scheduled: u64,
    /// Scheduled tasks that are due within an hour.
    pub due_in_an_hour: u64,
    /// Scheduled tasks that are due within 24 hours.
    pub due_in_24_hours: u64,
    /// Running tasks.
    pub running: u64,
    /// Completed tasks.
    pub completed: u64,
    /// Failed tasks.
    pub failed: u64,
    /// Cancelled tasks.
    pub cancelled: u64,
    /// The time at which the next scheduled task is due.
    pub next_due: Option<Timestamp>,
    /// The time since which the longest-waiting next task has been due, without paused queues.
    pub due_since: Option<Timestamp>,
}

impl Stats {
    /// The fraction of completed among completed and failed tasks; `None` without any.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        let ended = self.completed + self.failed;
        (ended > 0).then(|| self.completed as f64 / ended as f64)
    }
}

/// The counts of the store and of each queue, in one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// The counts of the store.
    pub stats: Stats,
    /// Every queue, by name.
    pub queues: Vec<QueueInfo>,
}

impl Counts {
    /// Pending and scheduled tasks are summed over the queues; `stats` has the rest.
    pub(crate) fn of(mut stats: Stats, queues: Vec<QueueInfo>) -> Self {
        stats.pending = queues.iter().map(|queue| queue.pending).sum();
        stats.scheduled = queues.iter().map(|queue| queue.scheduled).sum();
        Self { stats, queues }
    }
}

/// The first due times, which are known without counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DueTimes {
    /// The time at which the next scheduled task is due.
    pub next_due: Option<Timestamp>,
    /// The time since which the longest-waiting next task has been due, without paused queues.
    pub due_since: Option<Timestamp>,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = QueueView))]
#[non_exhaustive]
pub struct QueueInfo {
    /// The name of the queue.
    pub name: String,
    /// Whether the queue is paused: its tasks are not claimed.
    pub paused: bool,
    /// Number of tasks that are due.
    pub pending: u64,
    /// Number of tasks that are due later.
    pub scheduled: u64,
}

pub(crate) const MINUTES: usize = 60;
pub(crate) const HOURS: usize = 24;

/// Finished tasks by the minute, and scheduled tasks by the hour.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The store's time.
    pub now: Timestamp,
    /// Tasks that ended in each of the last 60 minutes, the current one last.
    pub ended: Vec<Ended>,
    /// Scheduled tasks in each of the next 24 hours, the current one first.
    pub due: Vec<u64>,
}

/// Tasks that ended within a minute, without cancelled ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Completed tasks.
    pub completed: u64,
    /// Failed tasks.
    pub failed: u64,
}

impl Activity {
    pub(crate) fn empty(now: Timestamp) -> Self {
        Self { now, ended: vec![Ended::default(); MINUTES], due: vec![0; HOURS] }
    }

    /// Adds tasks that ended this many whole minutes ago.
    pub(crate) fn add_ended(&mut self, minutes_ago: i64, ended: Ended) {
        let index =
            usize::try_from(minutes_ago).ok().and_then(|ago| (MINUTES - 1).checked_sub(ago));
        if let Some(minute) = index.and_then(|index| self.ended.get_mut(index)) {
            minute.completed += ended.completed;
            minute.failed += ended.failed;
        }
    }

    /// Adds tasks that are due in this many whole hours.
    pub(crate) fn add_due(&mut self, hours: i64, tasks: u64) {
        if let Some(hour) = usize::try_from(hours).ok().and_then(|hours| self.due.get_mut(hours)) {
            *hour += tasks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D15: cancelled tasks do not count, and without finished tasks there is no rate.
    #[test]
    fn success_rate_ignores_cancelled_tasks() {
        let stats = Stats { completed: 3, failed: 1, cancelled: 9, ..Stats::default() };
        assert_eq!((stats.success_rate(), Stats::default().success_rate()), (Some(0.75), None));
    }

    /// H2: counts go to their minute or hour, and those out of range are ignored.
    #[test]
    fn counts_go_to_their_minute_or_hour() {
        let mut activity = Activity::empty(Timestamp::UNIX_EPOCH);
        let one = Ended { completed: 1, failed: 0 };
        for ago in [0, 59, 60, -1] {
            activity.add_ended(ago, one);
        }
        for hours in [0, 23, 24, -1] {
            activity.add_due(hours, 2);
        }
        let minutes: Vec<_> = (0..).zip(&activity.ended).filter(|(_, it)| **it == one).collect();
        assert_eq!(minutes, [(0, &one), (59, &one)]);
        assert_eq!((activity.due[0], activity.due[23]), (2, 2));
        assert_eq!(activity.due.iter().sum::<u64>(), 4);
    }
}
