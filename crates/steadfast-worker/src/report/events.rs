//! The worker's events (O1): a bounded queue, and the writer that stores them in batches.
//!
//! Nothing waits for events. If the store cannot keep up or is unreachable, the queue fills and
//! further events are dropped; the task's own history is complete all the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::counter;
use steadfast::observe::Event;
use steadfast_store::{Record, Store, StoreError};
use tokio::sync::mpsc;
use tracing::warn;

use crate::batch_receiver::BatchReceiver;
use crate::store_retry::StoreRetry;

const MAX_BATCH: usize = 500;
const EVENT_QUEUE_CAPACITY: usize = 10_000;

/// The sending end of the event queue.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue {
    sender: mpsc::Sender<Event>,
    enabled: bool,
    dropped: Arc<AtomicU64>,
}

impl EventQueue {
    /// The queue and its receiving end. A disabled queue discards events.
    pub(crate) fn new(enabled: bool) -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(EVENT_QUEUE_CAPACITY);
        (Self { sender, enabled, dropped: Arc::default() }, receiver)
    }

    pub(crate) fn send(&self, event: Event) {
        if self.enabled && self.sender.try_send(event).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            counter!("steadfast_records_dropped_total").increment(1);
        }
    }
}

/// Writes events to the store.
pub(crate) struct EventWriter {
    pub(crate) store: Store,
    pub(crate) store_retry: StoreRetry,
    pub(crate) events: EventQueue,
}

impl EventWriter {
    pub(crate) async fn run(self, mut receiver: BatchReceiver<Event>) {
        let mut batch = Vec::new();
        while receiver.next_batch(&mut batch, MAX_BATCH).await {
            self.write(&batch).await;
            let dropped = self.events.dropped.swap(0, Ordering::Relaxed);
            if dropped > 0 {
                warn!(target: "steadfast", dropped, "event queue full: events dropped");
            }
        }
    }

    async fn write(&self, events: &[Event]) {
        let records: Vec<Record> =
            events.iter().filter_map(|event| event.try_into().ok()).collect();
        let record = || self.store.record(&records);
        if let Some(Err(error)) =
            self.store_retry.call_while(StoreError::is_retryable, "store events", record).await
        {
            warn!(target: "steadfast", %error, events = records.len(), "cannot store events");
        }
    }
}
