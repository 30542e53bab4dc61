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
    pub(super) failures: Vec<EventView>,
    pub(super) breakers: Vec<BreakerView>,
}

impl Figures {
    async fn ask(api: &Local) -> Result<Self, ApiError> {
        let events = api.events(&EventFilter::default(), EventsFrom::Latest, LOOKS_BACK).await?;
        let failures = events.items.into_iter().rev().filter(is_failure).take(FAILURES);
        Ok(Self {
            stats: api.stats().await?,
            failures: failures.collect(),
            breakers: api.breakers().await?,
        })
    }
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
