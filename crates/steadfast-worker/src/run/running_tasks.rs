//! The running tasks, by runner, so that they can be cancelled.
//!
//! Each runner has a slot that it alone writes. Cancelling a task reads all slots, which is rare;
//! starting or finishing one takes no lock that another runner uses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use steadfast_store::{FencingToken, TaskId};

use super::context::Context;
use crate::sync::lock;

#[derive(Debug)]
pub(crate) struct RunningTasks {
    slots: Box<[Mutex<Option<Context>>]>,
    closed: AtomicBool,
}

impl RunningTasks {
    pub(crate) fn new(runners: u32) -> Self {
        let slots = (0..runners).map(|_| Mutex::default()).collect();
        Self { slots, closed: AtomicBool::new(false) }
    }

    pub(super) fn start(&self, slot: usize, context: &Context) {
        if let Some(mut slot) = self.slot(slot) {
            *slot = Some(context.clone());
        }
        if self.closed.load(Ordering::SeqCst) {
            context.cancellation().cancel();
        }
    }

    pub(super) fn finish(&self, slot: usize) {
        if let Some(mut slot) = self.slot(slot) {
            *slot = None;
        }
    }

    fn slot(&self, slot: usize) -> Option<MutexGuard<'_, Option<Context>>> {
        Some(lock(self.slots.get(slot)?))
    }

    fn contexts(&self) -> impl Iterator<Item = Context> {
        (0..self.slots.len()).filter_map(|slot| self.slot(slot)?.clone())
    }

    pub(crate) fn cancel(&self, matches: impl Fn(TaskId, FencingToken) -> bool) {
        self.contexts()
            .filter(|context| matches(context.id(), context.fencing_token()))
            .for_each(|context| context.cancellation().cancel());
    }

    /// Cancels all tasks, and those that start from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.cancel(|_, _| true);
    }

    pub(crate) fn max_cleanup_time(&self) -> Duration {
        self.contexts().map(|context| context.cleanup_time()).max().unwrap_or_default()
    }

    pub(crate) fn count(&self) -> usize {
        self.contexts().count()
    }

    pub(crate) fn list(&self) -> Vec<(TaskId, FencingToken)> {
        self.contexts().map(|context| (context.id(), context.fencing_token())).collect()
    }
}
