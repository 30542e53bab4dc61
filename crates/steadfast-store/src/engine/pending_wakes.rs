//! Wake-ups that a write causes, sent after its commit (D11).

use jiff::Timestamp;

use crate::events::notifier::Wake;

/// Whether a write made tasks pending, and when its first scheduled task is due.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PendingWakes {
    has_pending: bool,
    next_due: Option<Timestamp>,
}

impl PendingWakes {
    pub(crate) fn pending() -> Self {
        Self { has_pending: true, next_due: None }
    }

    /// Notes a task that is due at this time.
    pub(crate) fn note(&mut self, scheduled_at: Timestamp, is_due: bool) {
        if is_due {
            self.has_pending = true;
        } else {
            self.next_due = Some(self.next_due.map_or(scheduled_at, |due| due.min(scheduled_at)));
        }
    }

    /// Adds the wake-ups of another write in the same transaction.
    pub(crate) fn merge(&mut self, other: Self) {
        self.has_pending |= other.has_pending;
        self.next_due = self.next_due.into_iter().chain(other.next_due).min();
    }

    pub(crate) fn wakes(self) -> impl Iterator<Item = Wake> {
        let pending = self.has_pending.then_some(Wake::Ready);
        pending.into_iter().chain(self.next_due.map(Wake::Due))
    }
}
