//! The worker's events (O1), stored in the background.
//!
//! Nothing waits for events: if the store cannot keep up or is unreachable, some are dropped; the
//! task's own history is complete anyway.

use std::sync::Mutex;

use steadfast::observe::{Event, Sink};
use steadfast_store::StoreSink;

use crate::sync::lock;

/// The sink for the worker's events. Without one, or once it is closed, events are discarded.
#[derive(Debug)]
pub(crate) struct EventQueue(Mutex<Option<StoreSink>>);

impl EventQueue {
    pub(crate) const fn new(sink: Option<StoreSink>) -> Self {
        Self(Mutex::new(sink))
    }

    pub(crate) fn send(&self, event: Event) {
        if let Some(sink) = &*lock(&self.0) {
            sink.event(event);
        }
    }

    /// Lets the sink's writer write the rest and end.
    pub(crate) fn close(&self) {
        lock(&self.0).take();
    }
}
