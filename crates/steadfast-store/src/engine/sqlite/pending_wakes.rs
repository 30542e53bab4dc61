//! What a write made due, to be told once it is committed (D11).

use super::row::timestamp;
use crate::events::notifier::{Wake, Wakes};

/// Whether tasks are due, and when the next one will be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    is_ready: bool,
    next: Option<i64>,
}

impl News {
    /// A task that is due at this time.
    pub(super) fn note(&mut self, due_at: i64, now: i64) {
        if due_at <= now {
            self.is_ready = true;
        } else {
            self.next = Some(self.next.map_or(due_at, |next| next.min(due_at)));
        }
    }

    /// What another write of the same transaction made due.
    pub(super) fn add(&mut self, other: Self) {
        self.is_ready |= other.is_ready;
        self.next = self.next.into_iter().chain(other.next).min();
    }

    /// Tells who waits for tasks.
    pub(super) fn tell(self, wakes: &Wakes) {
        if self.is_ready {
            wakes.tell(Wake::Ready);
        }
        if let Some(next) = self.next {
            wakes.tell(Wake::Due(timestamp(next)));
        }
    }
}
