//! What the overview shows, made once for all who look.
//!
//! Counting a million tasks takes a store some time, and a hundred open pages ask at the same
//! moment: when something changed. So the figures are made once and shown to all. They are kept
//! for a second, or for longer where they are dear, so that making them never takes more than a
//! small share of the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use steadfast::observe::EventType;
use steadfast_api::{
    Api, ApiError, BreakerView, EventFilter, EventView, EventsFrom, Local, StatsView,
};
use steadfast_store::Activity;
use tokio::sync::Mutex;

/// How long figures are good for.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// Figures that took long to make are kept so many times as long.
const TIMES_AS_LONG: u32 = 20;
/// How many of the latest failures are shown.
const FAILURES: usize = 8;
/// Among how many of the latest events they are looked for.
const LOOKS_BACK: u32 = 100;

/// What the overview shows.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(super) stats: StatsView,
    pub(super) activity: Activity,
    pub(super) failures: Vec<Failures>,
    pub(super) breakers: Vec<BreakerView>,
}

impl Figures {
    async fn ask(api: &Local) -> Result<Self, ApiError> {
        let events = api.events(&EventFilter::default(), EventsFrom::Latest, LOOKS_BACK).await?;
        let failures = alike(events.items.into_iter().rev().filter(is_failure));
        Ok(Self {
            stats: api.stats().await?,
            activity: api.activity().await?,
            failures,
            breakers: api.breakers().await?,
        })
    }
}

/// Failures of one operation that say the same.
#[derive(Debug)]
pub(super) struct Failures {
    /// The latest.
    pub(super) latest: EventView,
    /// How many there were lately.
    pub(super) times: usize,
}

impl Failures {
    /// The words of the error.
    pub(super) fn said(&self) -> Option<&str> {
        said(&self.latest)
    }

    fn are_like(&self, event: &EventView) -> bool {
        let (latest, other) = (&self.latest.event, &event.event);
        latest.operation == other.operation
            && latest.reason == other.reason
            && said(&self.latest) == said(event)
    }
}

fn said(event: &EventView) -> Option<&str> {
    let event = &event.event;
    let retried = event.context.as_ref().and_then(|context| context.get("last_error"));
    let given_up = event.error.as_ref().map(|error| error.message.as_str());
    given_up.or_else(|| retried.and_then(|said| said.as_str()))
}

/// The latest of each sort: a hundred that say the same would hide the one that does not.
fn alike(events: impl Iterator<Item = EventView>) -> Vec<Failures> {
    let mut sorts: Vec<Failures> = Vec::new();
    for event in events {
        match sorts.iter_mut().find(|sort| sort.are_like(&event)) {
            Some(sort) => sort.times += 1,
            None => sorts.push(Failures { latest: event, times: 1 }),
        }
    }
    sorts.truncate(FAILURES);
    sorts
}

fn is_failure(event: &EventView) -> bool {
    use EventType::{LeaseLost, RetryAttempt, RetryFailure};
    matches!(event.event.event_type, LeaseLost | RetryAttempt | RetryFailure)
}

/// The figures that were made last.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Option<(Instant, Arc<Figures>)>>);

impl Kept {
    /// Figures that are good enough, made now if there are none. Whoever asks meanwhile waits
    /// for the same.
    pub(super) async fn figures(&self, api: &Local) -> Result<Arc<Figures>, ApiError> {
        let mut kept = self.0.lock().await;
        if let Some((until, figures)) = &*kept
            && Instant::now() < *until
        {
            return Ok(figures.clone());
        }
        let began = Instant::now();
        let figures = Arc::new(Figures::ask(api).await?);
        let good_for = GOOD_FOR.max(began.elapsed() * TIMES_AS_LONG);
        *kept = Some((Instant::now() + good_for, figures.clone()));
        Ok(figures)
    }
}
