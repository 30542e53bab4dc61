//! Hooks: functions that are called on retry, success or giving up (I9).
//!
//! A panic in a hook is caught, and the session continues.

use std::panic::{self, AssertUnwindSafe};

use super::instrument::{EventKind, Instrument, SessionEvent};

/// A function that is called on one kind of event.
pub struct Hook<F> {
    pub(super) is_kind: fn(&EventKind<'_>) -> bool,
    pub(super) call: F,
}

impl<F: FnMut(&SessionEvent<'_>)> Instrument for Hook<F> {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, event: &SessionEvent<'_>) {
        if (self.is_kind)(&event.kind) {
            // The panic hook has reported the panic already.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| (self.call)(event)));
        }
    }
}
