//! Taking tasks, and holding them.
//!
//! A claim takes a batch under one lease. The lease has one number, the [`FencingToken`], drawn from
//! a count that only grows; every later write about a task of the batch carries it, and the
//! store refuses it once the task has gone to somebody else (D4). One lease for a batch is what
//! makes a heartbeat one row for a thousand tasks, and a claim cheap to write.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::decide::Progress;

use crate::error::Invalid;
use crate::task::{TaskId, name};

/// How long a lease lasts unless it is kept alive (D7).
pub const DEFAULT_LEASE: Duration = Duration::from_secs(600);

/// A lease must outlive a few round trips.
const SHORTEST_LEASE: Duration = Duration::from_secs(1);

/// The longest lease. A lost worker's tasks wait for as long as it had them; who needs more time
/// sends heartbeats.
pub const MAX_LEASE: Duration = Duration::from_hours(24);

/// The fencing number of a lease: greater than that of every lease before it (D18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FencingToken(pub i64);

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A place in a queue's line of due tasks.
///
/// Tasks leave a line at its head, and a database that may not forget them yet (an old
/// transaction still looks) makes each claim step over all that have left. A worker that takes
/// batch after batch may therefore go on from where the last one ended, and look at the whole
/// line every now and then, for what has joined it further ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub(crate) priority: i16,
    pub(crate) submitted_at: Timestamp,
    pub(crate) id: TaskId,
}

/// How many to take of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The queue.
    pub queue: String,
    /// At most so many.
    pub limit: u32,
    /// From behind here, or else from the head of the line.
    pub behind: Option<Position>,
}

/// What a worker wants.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClaimRequest {
    /// Who asks.
    pub worker: String,
    /// From these queues; from all of them if there is none here.
    pub lanes: Vec<Lane>,
    /// Only of these categories, if given: none that has no category.
    pub categories: Option<Vec<String>>,
    /// Only of these kinds, if given. Others that stand before them are stepped over, one by one.
    pub kinds: Option<Vec<String>>,
    /// At most so many in all.
    pub limit: u32,
    /// Of payloads no more than so many bytes in all, if given; one task is always taken. What
    /// is not answered is not leased.
    pub bytes: Option<u64>,
    /// For how long.
    pub lease: Duration,
}

impl ClaimRequest {
    /// Up to `limit` tasks of any queue, category and kind.
    #[must_use]
    pub fn new(worker: impl Into<String>, limit: u32) -> Self {
        Self {
            worker: worker.into(),
            lanes: Vec::new(),
            categories: None,
            kinds: None,
            limit,
            bytes: None,
            lease: DEFAULT_LEASE,
        }
    }

    /// Also from this queue.
    #[must_use]
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.lanes.push(Lane { queue: queue.into(), limit: self.limit, behind: None });
        self
    }

    /// Only of these categories.
    #[must_use]
    pub fn categories<T: Into<String>>(mut self, only: impl IntoIterator<Item = T>) -> Self {
        self.categories = Some(only.into_iter().map(Into::into).collect());
        self
    }

    /// Only of these kinds.
    #[must_use]
    pub fn kinds<T: Into<String>>(mut self, only: impl IntoIterator<Item = T>) -> Self {
        self.kinds = Some(only.into_iter().map(Into::into).collect());
        self
    }

    /// Of payloads no more than so many bytes in all.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// For this long.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Whether it makes sense.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        name("worker", &self.worker)?;
        for lane in &self.lanes {
            name("queue", &lane.queue)?;
        }
        for category in self.categories.iter().flatten() {
            name("category", category)?;
        }
        for kind in self.kinds.iter().flatten() {
            name("kind", kind)?;
        }
        check_lease(self.lease)
    }
}

/// Whether a lease can be kept alive by heartbeats, and ends in time without.
///
/// # Errors
/// It is too short or too long.
pub fn check_lease(lease: Duration) -> Result<(), Invalid> {
    if lease < SHORTEST_LEASE {
        return Err(Invalid::new("lease", "must be at least one second"));
    }
    if lease > MAX_LEASE {
        let problem = "must be at most 24 hours; it is in seconds, and heartbeats make it last";
        return Err(Invalid::new("lease", problem));
    }
    Ok(())
}

/// A task in the hands of a worker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claimed {
    /// Which task.
    pub id: TaskId,
    /// What every write about it must carry.
    pub version: FencingToken,
    /// Who does it.
    pub kind: String,
    /// What is to be done, as JSON.
    pub payload: String,
    /// The line it stood in.
    pub queue: String,
    /// What it is about.
    pub category: Option<String>,
    /// A higher one goes first.
    pub priority: i16,
    /// How it is tried again.
    pub policy: Arc<Policy>,
    /// How far it has come.
    pub progress: Progress,
    /// When the store took it.
    pub submitted_at: Timestamp,
    /// From when the policy's `max_duration` counts: when it was first due, or its last
    /// fresh start.
    pub counted_from: Timestamp,
    /// When it was to be tried.
    pub due_at: Timestamp,
    /// When it is too late.
    pub expires_at: Option<Timestamp>,
    /// Names the work to whoever must not do it twice.
    pub idempotency_key: Option<String>,
    /// Ties it to what else belongs to the same request.
    pub correlation_id: Option<String>,
    /// Whether a wait that it is asked for holds for its whole category.
    pub hold_category: bool,
}

impl Claimed {
    /// Where it stood.
    #[must_use]
    pub const fn position(&self) -> Position {
        let (priority, submitted_at, id) = (self.priority, self.submitted_at, self.id);
        Position { priority, submitted_at, id }
    }
}

/// What a claim got.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claims {
    /// The store's time.
    pub now: Timestamp,
    /// The tasks, in the order in which they are to be started. All have one version.
    pub tasks: Vec<Claimed>,
}

/// What a heartbeat found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heartbeat {
    /// Leases that are no longer the worker's: its tasks belong to others now.
    pub lost: Vec<FencingToken>,
    /// Tasks that ended in the meantime without the worker, because somebody called them off.
    pub ended: Vec<TaskId>,
}
