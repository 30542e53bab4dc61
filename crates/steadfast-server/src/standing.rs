//! How the store stands: what the overview shows, what tells pages to look again, and what
//! Prometheus is told. All of it is one look, [kept](crate::kept) for all of them.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use steadfast_api::{
    Api, ApiError, BreakerView, EventFilter, EventView, EventsFrom, Local, StatsView,
};
use steadfast_store::{Activity, QueueInfo, Stats, Store, StoreError};
use tokio::time::timeout;

/// How long the store may take to say anything before it is as good as away. To count may take
/// longer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many of the latest events are looked at.
const EVENTS: u32 = 100;

/// What one look saw.
#[derive(Debug)]
pub(crate) struct Standing {
    /// The store's time.
    pub(crate) now: Timestamp,
    /// How far its clock is ahead of this machine's.
    pub(crate) ahead: SignedDuration,
    pub(crate) stats: Stats,
    pub(crate) queues: Vec<QueueInfo>,
    pub(crate) activity: Activity,
    /// The latest, oldest first.
    pub(crate) events: Vec<EventView>,
    pub(crate) breakers: Vec<BreakerView>,
}

impl Standing {
    /// Looks.
    pub(crate) async fn see(store: Store, api: Local) -> Result<Self, ApiError> {
        let now = timeout(PATIENCE, store.now()).await;
        let now = now.unwrap_or_else(|_| Err(StoreError::no_answer()))?;
        let ahead = now.duration_since(Timestamp::now());
        Ok(Self {
            now,
            ahead,
            stats: store.stats().await?,
            queues: store.queues().await?,
            activity: api.activity().await?,
            events: api.events(&EventFilter::default(), EventsFrom::Latest, EVENTS).await?.items,
            breakers: api.breakers().await?,
        })
    }

    /// How many tasks are where, as the API tells it.
    pub(crate) fn stats(&self) -> StatsView {
        StatsView::new(&self.stats, self.queues.clone())
    }
}
