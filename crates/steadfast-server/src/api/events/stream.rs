//! Events as they happen.
//!
//! A follower reads from the store what it has missed, when it is its turn, and then listens to the
//! [`Tail`](crate::cache::event_feed::Tail) with all others. Whenever the tail has told something that it did not
//! hear, it reads again. The stream ends when the server stops, and whoever followed goes on
//! elsewhere from where it was.

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

use super::cursor::Place;
use crate::app::App;
use crate::cache::event_feed::Reading;
use crate::telemetry::metrics::requests::Following;

/// How long to wait for a store that is away.
const PAUSE: Duration = Duration::from_millis(500);
/// How many are read at a time, and how many bytes of them are kept: those of the tail are shared by
/// all, and these are held for each follower until it reads them, or for good if it never does.
const AT_A_TIME: u32 = 50;
const MOST_BYTES: usize = 32 << 10;
/// How often a silent stream is shown to be alive.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
const ALIVE: Bytes = Bytes::from_static(b":\n\n");

/// Follows the events after this one; or those to come, behind some of the last.
pub(super) async fn follow(
    app: &App,
    api: Local,
    filter: EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
) -> Result<Response, ApiError> {
    let heard = app.listen();
    let gap = match after {
        Some(after) => gap(&api, after).await?,
        None => None,
    };
    let reading = begin(&api, &filter, after, limit).await?;
    let mut place = Place::after(reading.after);
    place.read(Arc::new(reading));
    let _following = Following::begin();
    let (app, is_behind) = (app.clone(), true);
    let follower = Follower { app, api, filter, gap, place, is_behind, heard, _following };
    let told = stream::unfold(follower, |mut follower| async move {
        let words = follower.next().await?;
        Some((words, follower))
    });
    let body = Body::from_stream(kept_alive(told).map(Ok::<_, Infallible>));
    let head = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((head, body).into_response())
}

async fn begin(
    api: &Local,
    filter: &EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
) -> Result<Reading, ApiError> {
    if let (None, Some(limit)) = (after, limit) {
        // They are the last ones, whatever came before them.
        return Ok(Reading::new(i64::MIN, api.events(filter, EventsFrom::Latest, limit).await?));
    }
    // Without a filter the last event is found at once, whatever it tells of.
    let newest = api.events(&EventFilter::default(), EventsFrom::Latest, 1).await?.last;
    // Who comes back from behind the end followed another store, or this one before it was
    // restored: what happens from now on is what they do not know.
    let last = after.map_or(newest, |after| after.min(newest));
    Ok(Reading { after: last, last, events: Vec::new() })
}

/// What is told first to who comes back so late that events may be forgotten which it does not know:
/// that of its last event is so itself. Who begins at the beginning knows of none.
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

/// The same, with a sign of life when there is nothing to tell for long.
fn kept_alive(told: impl Stream<Item = Bytes> + Send) -> impl Stream<Item = Bytes> + Send {
    stream::unfold(Box::pin(told), |mut told| async move {
        let words = timeout(SIGN_OF_LIFE, told.next()).await.unwrap_or(Some(ALIVE))?;
        Some((words, told))
    })
}

struct Follower {
    app: App,
    api: Local,
    filter: EventFilter,
    /// What is to be told before everything else.
    gap: Option<Bytes>,
    place: Place,
    /// Whether the store may have something that the tail will not tell.
    is_behind: bool,
    heard: Receiver<Arc<Reading>>,
    _following: Following,
}

impl Follower {
    /// The next event, however long it takes; none if the server stops.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(gap) = self.gap.take() {
            return Some(gap);
        }
        let stopping = self.app.stopping().clone();
        while !stopping.is_cancelled() {
            if let Some(words) = self.place.next(&self.filter) {
                return Some(words);
            }
            tokio::select! {
                () = stopping.cancelled() => {}
                () = self.go_on() => {}
            }
        }
        None
    }

    async fn go_on(&mut self) {
        if self.is_behind {
            return self.catch_up().await;
        }
        match self.heard.recv().await {
            Ok(reading) if reading.after <= self.place.last() => self.place.read(reading),
            Ok(reading) => self.is_behind = reading.last > self.place.last(),
            Err(_) => self.is_behind = true,
        }
    }

    async fn catch_up(&mut self) {
        let Ok(reading) = self.read().await else {
            return sleep(PAUSE).await;
        };
        self.is_behind = reading.last != self.place.last();
        self.place.read(Arc::new(reading));
    }

    /// Reads for itself, when it is its turn.
    async fn read(&self) -> Result<Reading, ApiError> {
        // It is always somebody's turn: nobody closes the tail.
        let _turn = self.app.turn().await;
        let last = self.place.last();
        let events = self.api.events(&self.filter, EventsFrom::After(last), AT_A_TIME).await?;
        Ok(Reading::new(last, events).up_to(MOST_BYTES))
    }
}
