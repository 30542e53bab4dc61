//! Server-sent event streams.
//!
//! A stream reads missed events from the store, with a permit, and then subscribes to the
//! [`EventFeed`](crate::cache::EventFeed). Whenever the feed skips events that it did not
//! receive, it reads from the store again. The stream ends when the server stops; the client reconnects
//! elsewhere from its last event.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream, StreamExt};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::json;
use steadfast_api::{Api, ApiError, EventFilter, EventsFrom, Local};
use tokio::sync::broadcast::Receiver;
use tokio::time::{sleep, timeout};

use super::cursor::Cursor;
use crate::app::App;
use crate::cache::EventBatch;
use crate::telemetry::metrics::requests::StreamGauge;

const CATCH_UP_RETRY_DELAY: Duration = Duration::from_millis(500);
/// Limits of a catch-up read: unlike batches of the feed, these are held per subscriber until it reads
/// them, or forever if it never does.
const CATCH_UP_EVENTS: u32 = 50;
const MAX_CATCH_UP_BYTES: usize = 32 << 10;
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEP_ALIVE: Bytes = Bytes::from_static(b":\n\n");

/// Streams the events after this one, or new events preceded by some of the latest.
pub(super) async fn stream_events(
    app: &App,
    api: Local,
    filter: EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
) -> Result<Response, ApiError> {
    let batches = app.event_feed.subscribe();
    let gap = match after {
        Some(after) => gap(&api, after).await?,
        None => None,
    };
    let start = start(&api, &filter, after, limit).await?;
    let mut cursor = Cursor::after(start.after);
    cursor.load(Arc::new(start));
    let _gauge = StreamGauge::open();
    let (app, is_behind) = (app.clone(), true);
    let subscription = Subscription { app, api, filter, gap, cursor, is_behind, batches, _gauge };
    let events = stream::unfold(subscription, |mut subscription| async move {
        let encoded = subscription.next().await?;
        Some((encoded, subscription))
    });
    let body = Body::from_stream(keep_alive(events).map(Ok::<_, Infallible>));
    let head = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((head, body).into_response())
}

async fn start(
    api: &Local,
    filter: &EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
) -> Result<EventBatch, ApiError> {
    if let (None, Some(limit)) = (after, limit) {
        // The latest events, whatever precedes them.
        return Ok(EventBatch::new(i64::MIN, api.events(filter, EventsFrom::Latest, limit).await?));
    }
    // Without a filter, the latest event is found at once.
    let newest = api.events(&EventFilter::default(), EventsFrom::Latest, 1).await?.last;
    // A number beyond the latest comes from another store, or from this one before a restore; the
    // stream continues with new events.
    let last = after.map_or(newest, |after| after.min(newest));
    Ok(EventBatch { after: last, last, events: Vec::new() })
}

/// The `gap` event for a client whose last event was already pruned: events after it may be pruned,
/// too. A client that starts at the beginning gets none.
async fn gap(api: &Local, after: i64) -> Result<Option<Bytes>, ApiError> {
    if after <= 0 {
        return Ok(None);
    }
    let first = api.events(&EventFilter::default(), EventsFrom::After(0), 1).await?.last;
    let from = (first > 0).then_some(first);
    if from.is_some_and(|from| from <= after) {
        return Ok(None);
    }
    let data = json!({ "after": after, "from": from });
    Ok(Some(format!("event: gap\ndata: {data}\n\n").into()))
}

/// Adds keep-alive comments while the stream is idle.
fn keep_alive(events: impl Stream<Item = Bytes> + Send) -> impl Stream<Item = Bytes> + Send {
    stream::unfold(Box::pin(events), |mut events| async move {
        let bytes =
            timeout(KEEP_ALIVE_INTERVAL, events.next()).await.unwrap_or(Some(KEEP_ALIVE))?;
        Some((bytes, events))
    })
}

struct Subscription {
    app: App,
    api: Local,
    filter: EventFilter,
    gap: Option<Bytes>,
    cursor: Cursor,
    /// Whether the store may have events that the feed will not deliver.
    is_behind: bool,
    batches: Receiver<Arc<EventBatch>>,
    _gauge: StreamGauge,
}

impl Subscription {
    /// Waits for the next event; `None` when the server stops.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(gap) = self.gap.take() {
            return Some(gap);
        }
        let stopping = self.app.stopping.clone();
        while !stopping.is_cancelled() {
            if let Some(encoded) = self.cursor.next(&self.filter) {
                return Some(encoded);
            }
            tokio::select! {
                () = stopping.cancelled() => {}
                () = self.load_more() => {}
            }
        }
        None
    }

    async fn load_more(&mut self) {
        if self.is_behind {
            return self.catch_up().await;
        }
        match self.batches.recv().await {
            Ok(batch) if batch.after <= self.cursor.last() => self.cursor.load(batch),
            Ok(batch) => self.is_behind = batch.last > self.cursor.last(),
            Err(_) => self.is_behind = true,
        }
    }

    async fn catch_up(&mut self) {
        let Ok(batch) = self.read().await else {
            return sleep(CATCH_UP_RETRY_DELAY).await;
        };
        self.is_behind = batch.last != self.cursor.last();
        self.cursor.load(Arc::new(batch));
    }

    async fn read(&self) -> Result<EventBatch, ApiError> {
        // The semaphore is never closed.
        let _permit = self.app.event_feed.catch_up.acquire().await;
        let last = self.cursor.last();
        let events =
            self.api.events(&self.filter, EventsFrom::After(last), CATCH_UP_EVENTS).await?;
        Ok(EventBatch::new(last, events).truncated(MAX_CATCH_UP_BYTES))
    }
}
