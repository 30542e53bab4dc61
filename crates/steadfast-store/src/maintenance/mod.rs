//! Background maintenance: promotion, retention, rollups and compressed histories.

pub(crate) mod history_codec;
pub(crate) mod retention;
pub(crate) mod rollup;

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
