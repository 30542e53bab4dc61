//! Claims and leases.
//!
//! A claim takes a batch of tasks under one lease. The lease has a [`FencingToken`] from a growing
//! sequence; every later write about a task of the batch has it, and the store rejects the write
//! once another lease holds the task (D4). One lease per batch makes a heartbeat one row for a
//! thousand tasks, and a claim cheap to write.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::decide::Progress;

use crate::error::InputError;
use crate::task::{TaskId, name};

/// The duration of a lease without heartbeats (D7).
pub const DEFAULT_LEASE: Duration = Duration::from_secs(600);

/// The shortest lease, which must outlive a few round trips.
const MIN_LEASE: Duration = Duration::from_secs(1);

/// The longest lease. The tasks of a lost worker wait until it expires; a worker that needs more
/// time sends heartbeats.
pub const MAX_LEASE: Duration = Duration::from_hours(24);

/// The fencing token of a lease: greater than that of every earlier lease (D18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FencingToken(pub i64);

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A position in a queue's claim order.
///
/// Claims delete rows at the head of a queue, and while an old transaction is open the database
/// keeps the deleted rows, so each claim steps over them. A worker that claims batch after batch
/// can therefore continue from the end of the last one, and claim from the head now and then, for
/// tasks that were added before its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimCursor {
    pub(crate) priority: i16,
    pub(crate) submitted_at: Timestamp,
    pub(crate) id: TaskId,
}

/// The limit of one queue in a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLimit {
    /// The queue.
    pub queue: String,
    /// The maximum number of tasks.
    pub limit: u32,
    /// The position to continue from; `None` for the head.
    pub after: Option<ClaimCursor>,
}

/// A request for tasks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClaimRequest {
    /// The name of the worker.
    pub worker: String,
    /// The queues to claim from; empty for all.
    pub queues: Vec<QueueLimit>,
    /// Only tasks of these categories, if set.
    pub categories: Option<Vec<String>>,
    /// Only tasks of these kinds, if set. Others before them are skipped one by one.
    pub kinds: Option<Vec<String>>,
    /// The maximum number of tasks in total.
    pub limit: u32,
    /// The maximum number of payload bytes, if set; at least one task is claimed. Tasks beyond it
    /// are not leased.
    pub bytes: Option<u64>,
    /// The duration of the lease.
    pub lease: Duration,
}

impl ClaimRequest {
    /// Up to `limit` tasks of any queue, category and kind.
    #[must_use]
    pub fn new(worker: impl Into<String>, limit: u32) -> Self {
        Self {
            worker: worker.into(),
            queues: Vec::new(),
            categories: None,
            kinds: None,
            limit,
            bytes: None,
            lease: DEFAULT_LEASE,
        }
    }

    /// Adds a queue.
    #[must_use]
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queues.push(QueueLimit { queue: queue.into(), limit: self.limit, after: None });
        self
    }

    /// Restricts the categories.
    #[must_use]
    pub fn categories<T: Into<String>>(mut self, only: impl IntoIterator<Item = T>) -> Self {
        self.categories = Some(only.into_iter().map(Into::into).collect());
        self
    }

    /// Restricts the kinds.
    #[must_use]
    pub fn kinds<T: Into<String>>(mut self, only: impl IntoIterator<Item = T>) -> Self {
        self.kinds = Some(only.into_iter().map(Into::into).collect());
        self
    }

    /// Limits the payload bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Sets the duration of the lease.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        name("worker", &self.worker)?;
        let queues = self.queues.iter().map(|queue| ("queue", &queue.queue));
        let categories = self.categories.iter().flatten().map(|category| ("category", category));
        let kinds = self.kinds.iter().flatten().map(|kind| ("kind", kind));
        queues.chain(categories).chain(kinds).try_for_each(|(field, text)| name(field, text))?;
        check_lease(self.lease)
    }
}

/// Validates the duration of a lease.
///
/// # Errors
/// The lease is too short or too long.
pub fn check_lease(lease: Duration) -> Result<(), InputError> {
    if lease < MIN_LEASE {
        return Err(InputError::new("lease", "must be at least one second"));
    }
    if lease > MAX_LEASE {
        let problem = "must be at most 24 hours, in seconds; heartbeats extend it";
        return Err(InputError::new("lease", problem));
    }
    Ok(())
}

/// A claimed task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claimed {
    /// The task.
    pub id: TaskId,
    /// The fencing token of its lease, which every write about it needs.
    pub fencing_token: FencingToken,
    /// The kind, which selects the handler.
    pub kind: String,
    /// The payload, as JSON.
    pub payload: String,
    /// The queue.
    pub queue: String,
    /// The category.
    pub category: Option<String>,
    /// The priority; higher ones are claimed first.
    pub priority: i16,
    /// The retry policy.
    pub policy: Arc<Policy>,
    /// The attempts so far.
    pub progress: Progress,
    /// The time of submission.
    pub submitted_at: Timestamp,
    /// The start of the policy's `max_duration`: the first due time, or the last fresh requeue.
    pub counted_from: Timestamp,
    /// The time at which it became due.
    pub scheduled_at: Timestamp,
    /// The expiry.
    pub expires_at: Option<Timestamp>,
    /// The idempotency key.
    pub idempotency_key: Option<String>,
    /// The correlation id.
    pub correlation_id: Option<String>,
    /// Whether a rate limit holds its whole category.
    pub hold_category: bool,
}

impl Claimed {
    /// Its position in claim order.
    #[must_use]
    pub const fn cursor(&self) -> ClaimCursor {
        let (priority, submitted_at, id) = (self.priority, self.submitted_at, self.id);
        ClaimCursor { priority, submitted_at, id }
    }
}

/// The result of a claim.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claims {
    /// The store's time.
    pub now: Timestamp,
    /// The tasks in claim order, all under one lease.
    pub tasks: Vec<Claimed>,
}

/// The result of a heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heartbeat {
    /// Leases that the worker has lost.
    pub lost: Vec<FencingToken>,
    /// Running tasks that are no longer held, because they were cancelled.
    pub ended: Vec<TaskId>,
}
