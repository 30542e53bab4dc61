//! The end of the record of events, read once for all who follow it.
//!
//! A store is not told of what other instances write into it, so it has to be asked again and
//! again. Ten thousand followers that ask for themselves would be all that it does; one asks for
//! them here, for as long as there is anybody, and tells what it read. What it read is written out
//! once, too, as all of them are told it.
//!
//! Whoever was too slow to hear something has to read for itself. A burst can make them all too
//! slow at once, so only a few of them read at a time.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use steadfast::observe::Event;
use steadfast_api::{Api, ApiError, EventFilter, EventView, Events, EventsFrom, Local};
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::time::sleep;

use crate::cache::shared_poller::{Duty, Lookout};

/// How often is looked for new events.
const EVERY: Duration = Duration::from_millis(500);
/// How many are read at a time.
const AT_A_TIME: u32 = 500;
/// So many readings are kept for a follower that is slow; then it has to read for itself.
const KEPT: usize = 16;
/// So many read for themselves at a time: a store has ten connections, and other things to do
/// (see [`turns`](crate::limits::read_permits)).
const BY_THEMSELVES: usize = 3;

/// What was read: every event after one number, up to another.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) after: i64,
    pub(crate) last: i64,
    pub(crate) events: Vec<Told>,
}

impl Reading {
    /// What was read after this number.
    pub(crate) fn new(after: i64, Events { items, last }: Events) -> Self {
        Self { after, last, events: items.into_iter().filter_map(Told::new).collect() }
    }

    /// The beginning of it that has so many bytes or a little more. The rest is to be read again.
    pub(crate) fn up_to(mut self, bytes: usize) -> Self {
        let mut sum = 0;
        let fits = self.events.iter().take_while(|told| {
            let fits = sum < bytes;
            sum += told.words.len();
            fits
        });
        let fits = fits.count();
        if fits < self.events.len() {
            self.events.truncate(fits);
            self.events.shrink_to_fit();
            self.last = self.events.last().map_or(self.after, |told| told.number);
        }
        self
    }
}

/// An event, and the words in which it is told.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) number: i64,
    pub(crate) event: Event,
    /// As a server-sent event. A copy of it is another look at the same bytes.
    pub(crate) words: Bytes,
}

impl Told {
    /// An event can always be written; if not, there is nothing to tell.
    fn new(event: EventView) -> Option<Self> {
        let data = serde_json::to_string(&event).ok()?;
        let words = format!("id: {}\ndata: {data}\n\n", event.number).into();
        Some(Self { number: event.number, event: event.event, words })
    }
}

/// Whoever reads, and whoever listens.
#[derive(Debug)]
pub(crate) struct Tail {
    told: Sender<Arc<Reading>>,
    lookout: Lookout,
    by_themselves: Semaphore,
}

impl Default for Tail {
    fn default() -> Self {
        let (told, _) = broadcast::channel(KEPT);
        let by_themselves = Semaphore::new(BY_THEMSELVES);
        Self { told, lookout: Lookout::default(), by_themselves }
    }
}

impl Tail {
    /// Hears what is read from now on. The first reading has no events and says where it begins.
    pub(crate) fn listen(&self, api: impl FnOnce() -> Local) -> Receiver<Arc<Reading>> {
        let told = self.told.clone();
        self.lookout.follow(|| self.told.subscribe(), |duty| read(duty, told, api()))
    }

    /// Waits until it is one's turn to read for oneself.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.by_themselves.acquire().await
    }
}

async fn read(duty: Duty, told: Sender<Arc<Reading>>, api: Local) {
    let mut last = None;
    while duty.goes_on(|| told.receiver_count() > 0) {
        let is_more = match read_on(&api, last).await {
            Ok(reading) => {
                let is_news = last != Some(reading.last);
                let is_first = last.replace(reading.last).is_none();
                if is_news {
                    // An error says that nobody listens, which is seen above.
                    let _ = told.send(Arc::new(reading));
                }
                is_news && !is_first
            }
            // A store that is away is asked until it is back.
            Err(_) => false,
        };
        if !is_more {
            sleep(EVERY).await;
        }
    }
}

async fn read_on(api: &Local, last: Option<i64>) -> Result<Reading, ApiError> {
    let all = EventFilter::default();
    let Some(after) = last else {
        let Events { last, .. } = api.events(&all, EventsFrom::Latest, 1).await?;
        return Ok(Reading { after: last, last, events: Vec::new() });
    };
    Ok(Reading::new(after, api.events(&all, EventsFrom::After(after), AT_A_TIME).await?))
}
