//! Where a task can be, and how it gets from there to elsewhere (D3).
//!
//! Both stores keep each status as a place of its own (a table), not as a flag in a row, so
//! a transition is a move. Which moves there are is said here and nowhere else: the stores'
//! statements are written after this table, and the conformance suite tries every pair.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Invalid;

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Due now, and waiting for a worker.
    Pending,
    /// Due later.
    Scheduled,
    /// In the hands of a worker.
    Running,
    /// Done.
    Completed,
    /// Given up, for a reason.
    Failed,
    /// Called off.
    Cancelled,
}

/// What moves a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// A worker takes it.
    Claim,
    /// Its time has come.
    Promote,
    /// Its attempt succeeded.
    Complete,
    /// Its attempt failed and there will be another, or it cannot be tried just now.
    Delay,
    /// Its attempt failed and there will be no other.
    Fail,
    /// Its worker gives it back untried.
    Release,
    /// Somebody calls it off.
    Cancel,
    /// Somebody wants it tried again after it has ended.
    Requeue,
    /// Somebody wants it tried at once.
    RunNow,
}

impl Status {
    /// Every status, in the order of a task's life.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Scheduled,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Where an event moves a task that is here; nothing if it cannot happen here.
    ///
    /// ```
    /// use steadfast_store::{Event, Status};
    ///
    /// assert_eq!(Status::Pending.after(Event::Claim), Some(Status::Running));
    /// assert_eq!(Status::Completed.after(Event::Cancel), None);
    /// ```
    #[must_use]
    pub const fn after(self, event: Event) -> Option<Self> {
        use Event as E;
        use Status::{Cancelled, Completed, Failed, Pending, Running, Scheduled};
        Some(match (self, event) {
            (Pending, E::Claim) => Running,
            (Scheduled, E::Promote) => Pending,
            (Running, E::Complete) => Completed,
            (Running, E::Delay) => Scheduled,
            (Running, E::Fail) => Failed,
            (Running, E::Release) => Pending,
            (Pending | Scheduled | Running, E::Cancel) => Cancelled,
            (Completed | Failed | Cancelled, E::Requeue) => Pending,
            (Pending | Scheduled, E::RunNow) => Pending,
            _ => return None,
        })
    }

    /// Whether nothing more will happen to it by itself.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Its name in JSON, rows and flags.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

impl FromStr for Status {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let known = Self::ALL.into_iter().find(|status| status.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Invalid::new("status", format!("no such status `{text}`; there is {names}"))
        })
    }
}
