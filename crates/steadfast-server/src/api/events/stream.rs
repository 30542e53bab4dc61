//! Events as they happen.
//!
//! A follower reads from the store what it has missed, and then listens to the [`Tail`] with all
//! others. Whenever the tail has told something that it did not hear, it reads again. The stream
//! ends when the server stops, and whoever followed goes on elsewhere from where it was.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use steadfast_api::{Api, ApiError, EventFilter, EventView, Events, EventsFrom, Local};
use tokio::sync::broadcast::Receiver;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::metrics::requests::Following;
use crate::tail::Reading;

/// How long to wait for a store that is away.
const PAUSE: Duration = Duration::from_millis(500);
/// How many are read at a time.
const AT_A_TIME: u32 = 500;
/// How often a silent stream is shown to be alive.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Follows the events after this one; or those to come, behind some of the last.
pub(super) async fn follow(
    app: &App,
    api: Local,
    filter: EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
) -> Result<Sse<impl Stream<Item = Result<Event, axum::Error>> + use<>>, ApiError> {
    let heard = app.listen();
    let Events { items, last } = begin(&api, &filter, after, limit).await?;
    let (read, stopping) = (items.into(), app.stopping().clone());
    let _following = app.metrics().followers().one_more();
    let is_behind = true;
    let follower = Follower { api, filter, last, read, is_behind, heard, stopping, _following };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((told(&event), follower))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

async fn begin(
    api: &Local,
    filter: &EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
) -> Result<Events, ApiError> {
    if let (None, Some(limit)) = (after, limit) {
        return api.events(filter, EventsFrom::Latest, limit).await;
    }
    // Without a filter the last event is found at once, whatever it tells of.
    let newest = api.events(&EventFilter::default(), EventsFrom::Latest, 1).await?.last;
    // Who comes back from behind the end followed another store, or this one before it was
    // restored: what happens from now on is what they do not know.
    let last = after.map_or(newest, |after| after.min(newest));
    Ok(Events { items: Vec::new(), last })
}

fn told(event: &EventView) -> Result<Event, axum::Error> {
    Event::default().id(event.number.to_string()).json_data(event)
}

struct Follower {
    api: Local,
    filter: EventFilter,
    /// No event up to this number is still to come.
    last: i64,
    read: VecDeque<EventView>,
    /// Whether the store may have something that the tail will not tell.
    is_behind: bool,
    heard: Receiver<Arc<Reading>>,
    stopping: CancellationToken,
    _following: Following,
}

impl Follower {
    /// The next event, however long it takes; none if the server stops.
    async fn next(&mut self) -> Option<EventView> {
        let stopping = self.stopping.clone();
        while !stopping.is_cancelled() {
            if let Some(event) = self.read.pop_front() {
                return Some(event);
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
            Ok(reading) if reading.after <= self.last => self.take_over(&reading),
            Ok(reading) => self.is_behind = reading.last > self.last,
            Err(_) => self.is_behind = true,
        }
    }

    fn take_over(&mut self, reading: &Reading) {
        let is_wanted =
            |one: &&EventView| one.number > self.last && self.filter.matches(&one.event);
        self.read.extend(reading.events.iter().filter(is_wanted).cloned());
        self.last = self.last.max(reading.last);
    }

    async fn catch_up(&mut self) {
        let from = EventsFrom::After(self.last);
        let Ok(events) = self.api.events(&self.filter, from, AT_A_TIME).await else {
            return sleep(PAUSE).await;
        };
        self.is_behind = events.last != self.last;
        self.last = events.last;
        self.read.extend(events.items);
    }
}
