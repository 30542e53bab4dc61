//! What becomes of a task after a worker had it.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Reason;
use steadfast::decide::Progress;

use crate::error::Invalid;
use crate::queue::claim::FencingToken;
use crate::task::{FaultRecord, TaskId, document};

/// One worker's last word on one task.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// Which task.
    pub id: TaskId,
    /// The lease it was held under.
    pub version: FencingToken,
    /// What becomes of it.
    pub verdict: Verdict,
}

/// What becomes of a task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It is done.
    Completed {
        /// The handler's answer, as JSON.
        result: Option<String>,
    },
    /// It failed and is tried again.
    Retry {
        /// What went wrong.
        fault: Box<FaultRecord>,
        /// How far it has come.
        progress: Progress,
        /// After how long.
        delay: Duration,
        /// Whether its whole category waits as long.
        hold: bool,
    },
    /// It failed for good.
    Failed {
        /// What went wrong; nothing if there was no attempt, because it was too late for one.
        fault: Option<Box<FaultRecord>>,
        /// How far it has come.
        progress: Progress,
        /// Why there is no other attempt.
        reason: Reason,
    },
    /// It was not tried, and is not before this long: a breaker is open.
    Postponed {
        /// After how long.
        delay: Duration,
    },
    /// It was not tried, and may be at once.
    Released,
}

impl Verdict {
    /// Whether it can be written.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        match self {
            Self::Completed { result: Some(result) } => document("result", result),
            _ => Ok(()),
        }
    }
}

/// What the store said to a [`Settlement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// It holds.
    Accepted,
    /// The lease was no longer the worker's: nothing was changed.
    Stale,
}

/// What moving due tasks found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Promoted {
    /// How many are ready now.
    pub count: u64,
    /// When the next one is due, if any.
    pub next: Option<Timestamp>,
    /// The store's time.
    pub now: Timestamp,
}
