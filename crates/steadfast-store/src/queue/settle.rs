//! Settlements of claimed tasks.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::Reason;
use steadfast::decide::Progress;

use crate::error::InputError;
use crate::queue::claim::FencingToken;
use crate::task::{FaultRecord, TaskId, document};

/// The outcome of an attempt at one task.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The task.
    pub id: TaskId,
    /// The fencing token of its lease.
    pub fencing_token: FencingToken,
    /// The next state of the task.
    pub verdict: Verdict,
}

/// The next state of a task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The task is completed.
    Completed {
        /// The handler's result, as JSON.
        result: Option<String>,
    },
    /// The attempt failed, and the task is retried.
    Retry {
        /// The fault of the attempt.
        fault: Box<FaultRecord>,
        /// The attempts so far.
        progress: Progress,
        /// The delay before the next attempt.
        delay: Duration,
        /// Whether its category is held for as long.
        hold: bool,
    },
    /// The task has failed.
    Failed {
        /// The fault of the last attempt; `None` if the task expired without one.
        fault: Option<Box<FaultRecord>>,
        /// The attempts so far.
        progress: Progress,
        /// Why the task is not retried.
        reason: Reason,
    },
    /// The task was not attempted and is postponed, for example by an open breaker.
    Postponed {
        /// The delay before the next attempt.
        delay: Duration,
    },
    /// The task was not attempted and is pending again.
    Released,
}

impl Verdict {
    /// The fault of the attempt, if it failed.
    pub(crate) fn fault(&self) -> Option<&FaultRecord> {
        match self {
            Self::Retry { fault, .. } => Some(fault),
            Self::Failed { fault, .. } => fault.as_deref(),
            _ => None,
        }
    }

    /// The attempts so far, if there was one.
    pub(crate) const fn progress(&self) -> Option<&Progress> {
        match self {
            Self::Retry { progress, .. } | Self::Failed { progress, .. } => Some(progress),
            _ => None,
        }
    }

    /// The delay before the next attempt.
    pub(crate) const fn delay(&self) -> Duration {
        match self {
            Self::Retry { delay, .. } | Self::Postponed { delay } => *delay,
            _ => Duration::ZERO,
        }
    }

    /// Why the task is not retried, if it has failed.
    pub(crate) const fn reason(&self) -> Option<Reason> {
        match self {
            Self::Failed { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Whether the task's category is held.
    pub(crate) const fn holds_category(&self) -> bool {
        matches!(self, Self::Retry { hold: true, .. })
    }

    pub(crate) fn check(&self) -> Result<(), InputError> {
        match self {
            Self::Completed { result: Some(result) } => document("result", result),
            _ => Ok(()),
        }
    }
}

/// The store's answer to a [`Settlement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// The settlement is written.
    Accepted,
    /// The lease no longer holds the task: nothing was changed.
    Stale,
}
