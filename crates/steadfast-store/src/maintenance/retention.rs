//! Retention of finished tasks, records and audit entries (D14).

use std::ops::AddAssign;
use std::time::Duration;

use serde::Serialize;

/// Limits by age and count. A limit of `None` deletes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// Completed tasks, by age.
    pub completed_for: Option<Duration>,
    /// Failed and cancelled tasks, by age.
    pub failed_for: Option<Duration>,
    /// Finished tasks, by count: the oldest are deleted first.
    pub ended_at_most: Option<u64>,
    /// Compressed histories, by age; the tasks stay.
    pub faults_for: Option<Duration>,
    /// Records of sessions and events, and rollups, by age.
    pub records_for: Option<Duration>,
    /// Records of sessions and events, by count of each.
    pub records_at_most: Option<u64>,
    /// Audit entries, by age. `None` by default; a deletion writes an audit entry.
    pub audit_for: Option<Duration>,
    /// The number of rows in one batch, so that claims do not wait.
    pub batch_size: u32,
    /// Delete nothing, and count everything that is past its retention.
    pub dry_run: bool,
}

const DAY: Duration = Duration::from_secs(24 * 3600);

impl Retention {
    /// No limits.
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
            batch_size: 1000,
            dry_run: false,
        }
    }
}

impl Default for Retention {
    /// Completed tasks for a week, failed ones for a quarter, a million finished tasks; records for a
    /// week. Audit entries are not deleted.
    fn default() -> Self {
        Self {
            completed_for: Some(DAY * 7),
            failed_for: Some(DAY * 90),
            ended_at_most: Some(1_000_000),
            records_for: Some(DAY * 7),
            records_at_most: Some(100_000),
            ..Self::forever()
        }
    }
}

/// The number of deleted rows, or of those that would be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Pruned {
    /// Tasks, with their faults and results.
    pub tasks: u64,
    /// Faults of tasks that stay. On PostgreSQL a history counts as one.
    pub faults: u64,
    /// Records of sessions and events.
    pub records: u64,
    /// Executions of workflows, with their nodes, by the limits of tasks.
    pub executions: u64,
    /// Audit entries.
    pub audit: u64,
}

impl Pruned {
    /// Whether nothing was deleted.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.total() == 0
    }

    /// The total.
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
