//! How long what has ended is kept (D14).

use std::ops::AddAssign;
use std::time::Duration;

use serde::Serialize;

/// What may be forgotten. A limit that is not there forgets nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// Completed tasks, by age.
    pub completed_for: Option<Duration>,
    /// Failed and cancelled tasks, by age.
    pub failed_for: Option<Duration>,
    /// Ended tasks, by count: the oldest beyond so many go.
    pub ended_at_most: Option<u64>,
    /// Packed histories, by age: the task stays, its faults go.
    pub faults_for: Option<Duration>,
    /// Records of sessions and events, and the sums of each minute, by age.
    pub records_for: Option<Duration>,
    /// Records of sessions and events, by count of each.
    pub records_at_most: Option<u64>,
    /// The audit log, by age. Nobody forgets it who was not told to; that some of it was forgotten
    /// is written down in it.
    pub audit_for: Option<Duration>,
    /// How many are forgotten at a time, so that no claim waits for it.
    pub at_a_time: u32,
    /// Forget nothing, say how many it would be: all of them, not one piece.
    pub dry_run: bool,
}

const DAY: Duration = Duration::from_secs(24 * 3600);

impl Retention {
    /// Everything is kept, until a limit is set.
    #[must_use]
    pub const fn forever() -> Self {
        Self {
            completed_for: None,
            failed_for: None,
            ended_at_most: None,
            faults_for: None,
            records_for: None,
            records_at_most: None,
            audit_for: None,
            at_a_time: 1000,
            dry_run: false,
        }
    }
}

impl Default for Retention {
    /// A week of successes, a quarter of failures, a million of all; records for a week. The audit
    /// log is kept.
    fn default() -> Self {
        Self {
            completed_for: Some(DAY * 7),
            failed_for: Some(DAY * 90),
            ended_at_most: Some(1_000_000),
            faults_for: None,
            records_for: Some(DAY * 7),
            records_at_most: Some(100_000),
            audit_for: None,
            at_a_time: 1000,
            dry_run: false,
        }
    }
}

/// What was forgotten, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Pruned {
    /// Tasks, with all that belongs to them.
    pub tasks: u64,
    /// Faults of tasks that stay. On PostgreSQL a history counts as one.
    pub faults: u64,
    /// Records of sessions and events.
    pub records: u64,
    /// Executions of workflows, with their nodes. Ages and counts are those of tasks.
    pub executions: u64,
    /// Entries of the audit log.
    pub audit: u64,
}

impl Pruned {
    /// Whether there was nothing more to forget.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.total() == 0
    }

    /// All of it together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.tasks + self.faults + self.records + self.executions + self.audit
    }
}

impl AddAssign for Pruned {
    fn add_assign(&mut self, more: Self) {
        self.tasks += more.tasks;
        self.faults += more.faults;
        self.records += more.records;
        self.executions += more.executions;
        self.audit += more.audit;
    }
}
