//! The states of a task and their transitions (D3).
//!
//! Both engines store each state as its own table, not as a flag in a row, so a transition moves a
//! row. The transitions are defined here only: the statements of the engines follow this table, and
//! the conformance suite tries every pair.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::InputError;

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Due, and waiting for a worker.
    Pending,
    /// Due later.
    Scheduled,
    /// Claimed by a worker.
    Running,
    /// Completed.
    Completed,
    /// Failed, and not retried.
    Failed,
    /// Cancelled.
    Cancelled,
}

/// A transition of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// A worker claims it.
    Claim,
    /// It becomes due.
    Promote,
    /// Its attempt succeeded.
    Complete,
    /// Its attempt failed and is retried, or it is postponed.
    Delay,
    /// Its attempt failed and is not retried.
    Fail,
    /// Its worker releases it without an attempt.
    Release,
    /// An operator cancels it.
    Cancel,
    /// An operator requeues it.
    Requeue,
    /// An operator makes it due.
    RunNow,
}

/// Gives the variants of an enum their names in JSON, rows and flags.
macro_rules! names {
    ($visibility:vis $type:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every variant.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name in JSON, rows and flags.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.name().fmt(f)
            }
        }
    };
}
pub(crate) use names;

names! {
    pub Status {
        Pending: "pending",
        Scheduled: "scheduled",
        Running: "running",
        Completed: "completed",
        Failed: "failed",
        Cancelled: "cancelled",
    }
}

impl Status {
    /// The state after an event; `None` if the event is invalid in this state.
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

    /// Whether it is a final state.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl FromStr for Status {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let known = Self::ALL.into_iter().find(|status| status.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            InputError::new("status", format!("unknown status `{text}`; use one of {names}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use Event as E;
    use Status::{Cancelled, Completed, Failed, Pending, Running, Scheduled};

    use super::*;

    const EVENTS: [Event; 9] = [
        E::Claim,
        E::Promote,
        E::Complete,
        E::Delay,
        E::Fail,
        E::Release,
        E::Cancel,
        E::Requeue,
        E::RunNow,
    ];

    /// D3: the transition table, a row per state in the order of [`EVENTS`].
    #[test]
    fn transitions_follow_the_table() {
        let (p, s, r) = (Some(Pending), Some(Scheduled), Some(Running));
        let (d, f, c) = (Some(Completed), Some(Failed), Some(Cancelled));
        let table = [
            (Pending, [r, None, None, None, None, None, c, None, p]),
            (Scheduled, [None, p, None, None, None, None, c, None, p]),
            (Running, [None, None, d, s, f, p, c, None, None]),
            (Completed, [None, None, None, None, None, None, None, p, None]),
            (Failed, [None, None, None, None, None, None, None, p, None]),
            (Cancelled, [None, None, None, None, None, None, None, p, None]),
        ];
        assert_eq!(table.map(|(status, _)| status), Status::ALL);
        for (status, row) in table {
            assert_eq!(EVENTS.map(|event| status.after(event)), row, "{status}");
        }
    }

    /// D3: a finished task changes only by a requeue.
    #[test]
    fn ended_task_changes_only_by_requeue() {
        for status in Status::ALL.into_iter().filter(|status| status.is_ended()) {
            for event in EVENTS.into_iter().filter(|event| *event != E::Requeue) {
                assert_eq!(status.after(event), None);
            }
        }
    }

    /// D3: a name is the same in JSON, rows and flags, and an unknown one lists the others.
    #[test]
    fn status_has_one_name() {
        for status in Status::ALL {
            assert_eq!(status.name().parse(), Ok(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.name());
        }
        let error = "retrying".parse::<Status>().unwrap_err().to_string();
        assert!(error.contains("`retrying`") && error.contains("running"), "{error}");
    }
}
