//! Functions that are called on the way (I9).
//!
//! A hook is a guest: if it panics, the session goes on as if it had returned.

use std::panic::{self, AssertUnwindSafe};

use super::instrument::{EventKind, Instrument, SessionEvent};

/// Which happenings a hook is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Retrying,
    GaveUp,
    Succeeded,
}

/// A function that is called when something happens.
pub struct Hook<F> {
    pub(super) when: When,
    pub(super) call: F,
}

impl<F: FnMut(&SessionEvent<'_>)> Instrument for Hook<F> {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, happening: &SessionEvent<'_>) {
        let when = match happening.what {
            EventKind::Retrying { .. } => When::Retrying,
            EventKind::GaveUp { .. } => When::GaveUp,
            EventKind::Succeeded => When::Succeeded,
            _ => return,
        };
        if when == self.when {
            // The panic has been reported by the panic hook; there is nothing to add.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| (self.call)(happening)));
        }
    }
}
