//! How the store stands: what the overview shows, what tells pages to look again, and what
//! Prometheus is told. All of it is one look, [kept](crate::kept) for all of them.

use std::time::Duration;

use jiff::Timestamp;
use steadfast_api::{
    Api, ApiError, BreakerView, EventFilter, EventView, EventsFrom, Local, StatsView, WorkerView,
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
    pub(crate) stats: Stats,
    pub(crate) queues: Vec<QueueInfo>,
    pub(crate) activity: Activity,
    /// The latest, oldest first.
    pub(crate) events: Vec<EventView>,
    pub(crate) breakers: Vec<BreakerView>,
    pub(crate) workers: Vec<WorkerView>,
}

impl Standing {
    /// Looks.
    pub(crate) async fn see(store: Store, api: Local) -> Result<Self, ApiError> {
        let now = timeout(PATIENCE, store.now()).await;
        let now = now.unwrap_or_else(|_| Err(StoreError::no_answer()))?;
        Ok(Self {
            now,
            stats: store.stats().await?,
            queues: store.queues().await?,
            activity: api.activity().await?,
            events: api.events(&EventFilter::default(), EventsFrom::Latest, EVENTS).await?.items,
            breakers: api.breakers().await?,
            workers: api.workers().await?,
        })
    }

    /// How many tasks are where, as the API tells it.
    pub(crate) fn stats(&self) -> StatsView {
        StatsView::new(&self.stats, self.queues.clone())
    }
}
