//! The result of a task: its settlement, and the event to report once it is settled.

use jiff::Timestamp;
use steadfast::observe::Event;
use steadfast_store::{Claimed, Settlement, Verdict};

#[derive(Clone, Debug)]
pub(crate) struct TaskResult {
    pub(crate) settlement: Settlement,
    /// Reported once the store has accepted the settlement, since a stale worker's result is void.
    pub(crate) event: Option<Box<Event>>,
}

impl TaskResult {
    /// A verdict that is logged, counted and reported as an event.
    pub(crate) fn new(
        claimed: &Claimed,
        verdict: Verdict,
        now: impl FnOnce() -> Timestamp,
    ) -> Self {
        let event = claimed.report(&verdict, now()).map(Box::new);
        Self { event, ..Self::without_event(claimed, verdict) }
    }

    /// A verdict that is neither logged nor reported.
    pub(crate) const fn without_event(claimed: &Claimed, verdict: Verdict) -> Self {
        let (id, fencing_token) = (claimed.id, claimed.fencing_token);
        Self { settlement: Settlement { id, fencing_token, verdict }, event: None }
    }
}
