//! The live event feed: new events, read from the store once for all subscribers.
//!
//! Other instances write events to the same store without notice, so it is polled. One poller serves all
//! subscribers while there are any, and each event is serialized once.
//!
//! A subscriber that is too slow to receive a batch reads it from the store itself. A burst can make all
//! of them too slow at once, so only a few such reads run at a time.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use steadfast::observe::Event;
use steadfast_api::{Api, ApiError, EventFilter, EventView, Events, EventsFrom, Local};
use tokio::sync::Semaphore;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio::time::sleep;

use super::{PollGuard, SharedPoller};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
const BATCH_EVENTS: u32 = 500;
/// The number of batches buffered for a slow subscriber; after that, it reads from the store.
const BUFFERED_BATCHES: usize = 16;
/// The maximum number of concurrent catch-up reads; a store has ten connections (see
/// [`read_permits`](crate::limits::read_permits)).
const MAX_CATCH_UP_READS: usize = 3;

/// All events after one number up to another.
pub(crate) struct EventBatch {
    pub(crate) after: i64,
    pub(crate) last: i64,
    pub(crate) events: Vec<EncodedEvent>,
}

impl EventBatch {
    /// The events read after this number.
    pub(crate) fn new(after: i64, Events { items, last }: Events) -> Self {
        Self { after, last, events: items.into_iter().filter_map(EncodedEvent::new).collect() }
    }

    /// Truncates the batch after the event that reaches this size. The rest has to be read again.
    pub(crate) fn truncated(mut self, max_bytes: usize) -> Self {
        let mut bytes = 0;
        let fitting = self.events.iter().take_while(|event| {
            let fits = bytes < max_bytes;
            bytes += event.encoded.len();
            fits
        });
        let fitting = fitting.count();
        if fitting < self.events.len() {
            self.events.truncate(fitting);
            self.events.shrink_to_fit();
            self.last = self.events.last().map_or(self.after, |event| event.number);
        }
        self
    }
}

/// An event and its encoding as a server-sent event.
pub(crate) struct EncodedEvent {
    pub(crate) number: i64,
    pub(crate) event: Event,
    /// Cheap to clone: clones share the bytes.
    pub(crate) encoded: Bytes,
}

impl EncodedEvent {
    /// `None` if the event cannot be serialized, which does not happen.
    fn new(event: EventView) -> Option<Self> {
        let data = serde_json::to_string(&event).ok()?;
        let encoded = format!("id: {}\ndata: {data}\n\n", event.number).into();
        Some(Self { number: event.number, event: event.event, encoded })
    }
}

pub(crate) struct EventFeed {
    api: Arc<Local>,
    batches: Sender<Arc<EventBatch>>,
    poller: SharedPoller,
    /// Permits to read from the store directly.
    pub(crate) catch_up: Semaphore,
}

impl EventFeed {
    pub(crate) fn new(api: Arc<Local>) -> Self {
        let (batches, _) = broadcast::channel(BUFFERED_BATCHES);
        let catch_up = Semaphore::new(MAX_CATCH_UP_READS);
        Self { api, batches, poller: SharedPoller::default(), catch_up }
    }

    /// Subscribes to batches read from now on. The first batch is empty and marks the start.
    pub(crate) fn subscribe(&self) -> Receiver<Arc<EventBatch>> {
        let (batches, api) = (self.batches.clone(), self.api.clone());
        self.poller.subscribe(|| self.batches.subscribe(), |guard| poll(guard, batches, api))
    }
}

async fn poll(mut guard: PollGuard, batches: Sender<Arc<EventBatch>>, api: Arc<Local>) {
    let mut last = None;
    while guard.keep_polling(|| batches.receiver_count() > 0) {
        let has_more = match read(&api, last).await {
            Ok(batch) => {
                let is_new = last != Some(batch.last);
                let is_first = last.replace(batch.last).is_none();
                if is_new {
                    // An error means no subscribers, which the loop condition handles.
                    let _ = batches.send(Arc::new(batch));
                }
                is_new && !is_first
            }
            // Poll an unreachable store until it is back.
            Err(_) => false,
        };
        if !has_more {
            sleep(POLL_INTERVAL).await;
        }
    }
}

async fn read(api: &Local, last: Option<i64>) -> Result<EventBatch, ApiError> {
    let all = EventFilter::default();
    let Some(after) = last else {
        let Events { last, .. } = api.events(&all, EventsFrom::Latest, 1).await?;
        return Ok(EventBatch { after: last, last, events: Vec::new() });
    };
    Ok(EventBatch::new(after, api.events(&all, EventsFrom::After(after), BATCH_EVENTS).await?))
}
