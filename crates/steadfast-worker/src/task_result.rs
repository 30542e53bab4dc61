//! What a runner hands in: what becomes of a task, and what there is to tell of it.

use jiff::Timestamp;
use steadfast::observe::Event;
use steadfast_store::{Claimed, Settlement, Verdict};

#[derive(Clone, Debug)]
pub(crate) struct HandedIn {
    pub(crate) settlement: Settlement,
    /// Told once the store has accepted the settlement: what a stale worker says is not so.
    pub(crate) event: Option<Box<Event>>,
}

impl HandedIn {
    /// A verdict that the log, the figures and the events tell of.
    pub(crate) fn new(
        claimed: &Claimed,
        verdict: Verdict,
        now: impl FnOnce() -> Timestamp,
    ) -> Self {
        let event = claimed.tell(&verdict, now()).map(Box::new);
        Self { event, ..Self::silently(claimed, verdict) }
    }

    /// A verdict that is nobody's business.
    pub(crate) const fn silently(claimed: &Claimed, verdict: Verdict) -> Self {
        let (id, version) = (claimed.id, claimed.version);
        Self { settlement: Settlement { id, version, verdict }, event: None }
    }
}
