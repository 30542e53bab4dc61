//! Which tasks run, so that they can be called off.
//!
//! A place for each runner, which it alone writes: whoever calls a task off looks at all of
//! them, which is rare; whoever begins or ends one locks nothing that another wants.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use steadfast_store::{FencingToken, TaskId};

use crate::context::Context;

/// A place of this list.
pub(crate) type Slot = usize;

#[derive(Debug)]
pub(crate) struct Running {
    places: Box<[Mutex<Option<Context>>]>,
    closed: AtomicBool,
}

impl Running {
    pub(crate) fn new(runners: u32) -> Self {
        let places = (0..runners).map(|_| Mutex::default()).collect();
        Self { places, closed: AtomicBool::new(false) }
    }

    pub(crate) fn begin(&self, slot: Slot, context: &Context) {
        if let Some(mut place) = self.place(slot) {
            *place = Some(context.clone());
        }
        if self.closed.load(Ordering::SeqCst) {
            context.called_off().cancel();
        }
    }

    pub(crate) fn end(&self, slot: Slot) {
        if let Some(mut place) = self.place(slot) {
            *place = None;
        }
    }

    fn place(&self, slot: Slot) -> Option<MutexGuard<'_, Option<Context>>> {
        Some(self.places.get(slot)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn contexts(&self) -> impl Iterator<Item = Context> {
        (0..self.places.len()).filter_map(|slot| self.place(slot)?.clone())
    }

    /// Calls off what runs of these.
    pub(crate) fn call_off(&self, which: impl Fn(TaskId, FencingToken) -> bool) {
        self.contexts()
            .filter(|context| which(context.id(), context.version()))
            .for_each(|context| context.called_off().cancel());
    }

    /// Calls off everything, and whatever begins from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.call_off(|_, _| true);
    }

    /// How long the slowest of them needs to put things in order.
    pub(crate) fn longest_tidy_up(&self) -> Duration {
        self.contexts().map(|context| context.tidy_up()).max().unwrap_or_default()
    }

    /// How many run.
    pub(crate) fn count(&self) -> usize {
        let runs = |slot| self.place(slot).is_some_and(|place| place.is_some());
        (0..self.places.len()).filter(|slot| runs(*slot)).count()
    }

    /// What runs.
    pub(crate) fn list(&self) -> Vec<(TaskId, FencingToken)> {
        self.contexts().map(|context| (context.id(), context.version())).collect()
    }
}
