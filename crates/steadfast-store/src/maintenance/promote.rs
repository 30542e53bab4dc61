//! Promotion of scheduled tasks that are due.

use jiff::Timestamp;

/// The result of a promotion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Promoted {
    /// The number of tasks that became pending.
    pub count: u64,
    /// The time at which the next task is due.
    pub next: Option<Timestamp>,
    /// The store's time.
    pub now: Timestamp,
}
