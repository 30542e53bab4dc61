//! Hooks: functions that are called on retry, success or giving up (I9).
//!
//! A panic in a hook is caught, and the session continues.

use std::panic::{self, AssertUnwindSafe};

use super::instrument::{EventKind, Instrument, SessionEvent};

/// The event that a hook is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookEvent {
    Retrying,
    GaveUp,
    Succeeded,
}

/// A function that is called on one kind of event.
pub struct Hook<F> {
    pub(super) event: HookEvent,
    pub(super) call: F,
}

impl<F: FnMut(&SessionEvent<'_>)> Instrument for Hook<F> {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, event: &SessionEvent<'_>) {
        let kind = match event.kind {
            EventKind::Retrying { .. } => HookEvent::Retrying,
            EventKind::GaveUp { .. } => HookEvent::GaveUp,
            EventKind::Succeeded => HookEvent::Succeeded,
            _ => return,
        };
        if kind == self.event {
            // The panic hook has reported the panic already.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| (self.call)(event)));
        }
    }
}
