//! What comes after an event: a store is asked for it again and again, a server tells it.

use std::time::Duration;

use steadfast_api::remote::{EventStream, Gap};
use steadfast_api::{Api, ApiError, ErrorKind, EventFilter, EventView, EventsFrom};
use tokio::time::sleep;

use crate::output;

/// How often is looked for new ones.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How many are read at a time.
const PAGE_SIZE: u32 = 500;

/// Whoever tells them, and whether it is is_unreachable.
pub(super) struct EventFollower<'a> {
    source: Source<'a>,
    is_unreachable: bool,
}

enum Source<'a> {
    Polled { api: &'a dyn Api, filter: EventFilter, last: i64 },
    Subscribed(Box<Following>),
}

impl<'a> EventFollower<'a> {
    pub(super) const fn polled(api: &'a dyn Api, filter: EventFilter, last: i64) -> Self {
        Self { source: Source::Polled { api, filter, last }, is_unreachable: false }
    }

    pub(super) fn subscribed(following: Following) -> Self {
        Self { source: Source::Subscribed(Box::new(following)), is_unreachable: false }
    }

    /// Some more of them, however long it takes. That they cannot be had just now is said once.
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
                        output::note(&format!("{}; trying until it is back", error.with_cause()));
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
                    output::note(&missing(gap));
                }
                Ok(vec![event])
            }
            Self::Polled { api, filter, last } => loop {
                let events = api.events(filter, EventsFrom::After(*last), PAGE_SIZE).await?;
                let is_end = events.last == *last;
                *last = events.last;
                // Many may have come that are not wanted.
                if is_end || !events.items.is_empty() {
                    return Ok(events.items);
                }
            },
        }
    }
}

fn missing(gap: Gap) -> String {
    let after = gap.after;
    match gap.from {
        Some(from) => format!("events after {after} and before {from} may be forgotten already"),
        None => format!("events after {after} may be forgotten already"),
    }
}
