//! Telling what happened (O1): events, kept in the store for whoever looks.
//!
//! Nobody waits for it. Events have a queue of their own; if the store cannot keep up, or is
//! away, the queue runs full and what more there is to tell is dropped: events are for looking,
//! and the task's own history misses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::counter;
use steadfast::observe::Event;
use steadfast_store::{Record, Store, StoreError};
use tokio::sync::mpsc;
use tracing::warn;

use crate::inbox::Inbox;
use crate::store_retry::Patience;

/// The biggest batch.
const BATCH: usize = 500;
/// How many may wait to be written.
const WAITING: usize = 10_000;

/// Where events are told.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    queue: mpsc::Sender<Event>,
    wanted: bool,
    dropped: Arc<AtomicU64>,
}

impl Reports {
    /// With the other end. Nothing comes out there unless somebody wants to hear it.
    pub(crate) fn new(wanted: bool) -> (Self, mpsc::Receiver<Event>) {
        let (queue, receiver) = mpsc::channel(WAITING);
        (Self { queue, wanted, dropped: Arc::default() }, receiver)
    }

    pub(crate) fn tell(&self, event: Event) {
        if self.wanted && self.queue.try_send(event).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            counter!("steadfast_records_dropped_total").increment(1);
        }
    }
}

/// Writes events down.
pub(crate) struct Reporter {
    pub(crate) store: Store,
    pub(crate) patience: Patience,
    pub(crate) reports: Reports,
}

impl Reporter {
    pub(crate) async fn run(self, mut inbox: Inbox<Event>) {
        let mut batch = Vec::new();
        while inbox.next(&mut batch, BATCH).await {
            self.write(&batch).await;
            let dropped = self.reports.dropped.swap(0, Ordering::Relaxed);
            if dropped > 0 {
                warn!(target: "steadfast", dropped, "events came faster than they can be kept");
            }
        }
    }

    async fn write(&self, events: &[Event]) {
        let records: Vec<Record> =
            events.iter().filter_map(|event| event.try_into().ok()).collect();
        let record = || self.store.record(&records);
        if let Some(Err(error)) =
            self.patience.ask_while(StoreError::may_pass, "keep events", record).await
        {
            warn!(target: "steadfast", %error, events = records.len(), "events are not kept");
        }
    }
}
