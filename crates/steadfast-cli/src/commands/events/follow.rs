//! Live events: polled from a store, streamed from a server.

use std::time::Duration;

use steadfast_api::remote::{EventStream, Gap};
use steadfast_api::{Api, ApiError, ErrorKind, EventFilter, EventView, EventsFrom};
use tokio::time::sleep;

use crate::output;

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Events read per poll.
const PAGE_SIZE: u32 = 500;

pub(super) struct EventFollower<'a> {
    source: Source<'a>,
    is_unreachable: bool,
}

enum Source<'a> {
    Polled { api: &'a dyn Api, filter: EventFilter, last: i64 },
    Subscribed(Box<EventStream>),
}

impl<'a> EventFollower<'a> {
    pub(super) const fn polled(api: &'a dyn Api, filter: EventFilter, last: i64) -> Self {
        Self { source: Source::Polled { api, filter, last }, is_unreachable: false }
    }

    pub(super) fn subscribed(following: EventStream) -> Self {
        Self { source: Source::Subscribed(Box::new(following)), is_unreachable: false }
    }

    /// Waits for new events. An unreachable source is reported once.
    pub(super) async fn next(&mut self) -> Result<Vec<EventView>, ApiError> {
        loop {
            match self.source.more().await {
                Ok(events) => {
                    self.is_unreachable = false;
                    if !events.is_empty() {
                        return Ok(events);
                    }
                }
                Err(error) if error.kind == ErrorKind::Unreachable => {
                    if !std::mem::replace(&mut self.is_unreachable, true) {
                        output::note(&format!("{}; retrying", error.with_cause()));
                    }
                }
                Err(error) => return Err(error),
            }
            sleep(POLL_INTERVAL).await;
        }
    }
}

impl Source<'_> {
    async fn more(&mut self) -> Result<Vec<EventView>, ApiError> {
        match self {
            Self::Subscribed(following) => {
                let event = following.next().await?;
                if let Some(gap) = following.gap() {
                    output::note(&gap_text(gap));
                }
                Ok(vec![event])
            }
            Self::Polled { api, filter, last } => loop {
                let events = api.events(filter, EventsFrom::After(*last), PAGE_SIZE).await?;
                let is_end = events.last == *last;
                *last = events.last;
                // A whole page may have been filtered out.
                if is_end || !events.items.is_empty() {
                    return Ok(events.items);
                }
            },
        }
    }
}

fn gap_text(gap: Gap) -> String {
    let after = gap.after;
    match gap.from {
        Some(from) => format!("events between {after} and {from} may have been deleted"),
        None => format!("events after {after} may have been deleted"),
    }
}
