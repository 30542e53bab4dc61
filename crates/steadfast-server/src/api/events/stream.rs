//! Events as they happen.
//!
//! The store is asked again and again for what came after the last event, so that nothing is
//! missed whichever instance wrote it, and a store that is away is asked until it is back. The
//! stream ends when the server stops, and whoever followed goes on elsewhere from where it was.

use std::collections::VecDeque;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use steadfast_api::{Api, ApiError, EventFilter, EventView, Events, EventsFrom, Local};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often is looked for new ones.
const EVERY: Duration = Duration::from_millis(500);
/// How many are read at a time.
const AT_A_TIME: u32 = 500;
/// How often a silent stream is shown to be alive.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Follows the events after this one; or those to come, behind some of the last.
pub(super) async fn follow(
    api: Local,
    filter: EventFilter,
    after: Option<i64>,
    limit: Option<u32>,
    stopping: CancellationToken,
) -> Result<Sse<impl Stream<Item = Result<Event, axum::Error>>>, ApiError> {
    let Events { items, last } = begin(&api, &filter, after, limit).await?;
    let follower = Follower { api, filter, last, read: items.into(), stopping };
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
    if let Some(last) = after {
        return Ok(Events { items: Vec::new(), last });
    }
    // Without a filter the last event is found at once, whatever it tells of.
    let newest = match limit {
        Some(limit) => return api.events(filter, EventsFrom::Latest, limit).await,
        None => api.events(&EventFilter::default(), EventsFrom::Latest, 1).await?,
    };
    Ok(Events { items: Vec::new(), ..newest })
}

fn told(event: &EventView) -> Result<Event, axum::Error> {
    Event::default().id(event.number.to_string()).json_data(event)
}

struct Follower {
    api: Local,
    filter: EventFilter,
    last: i64,
    read: VecDeque<EventView>,
    stopping: CancellationToken,
}

impl Follower {
    /// The next event, however long it takes; none if the server stops.
    async fn next(&mut self) -> Option<EventView> {
        while !self.stopping.is_cancelled() {
            if let Some(event) = self.read.pop_front() {
                return Some(event);
            }
            if self.read_on().await {
                continue;
            }
            tokio::select! {
                () = self.stopping.cancelled() => {}
                () = sleep(EVERY) => {}
            }
        }
        None
    }

    /// Reads what came since; whether there was anything.
    async fn read_on(&mut self) -> bool {
        let from = EventsFrom::After(self.last);
        let Ok(events) = self.api.events(&self.filter, from, AT_A_TIME).await else {
            return false;
        };
        let is_more = events.last != self.last;
        self.last = events.last;
        self.read.extend(events.items);
        is_more
    }
}
