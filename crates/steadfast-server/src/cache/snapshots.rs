//! Cached snapshots of the store for the overview, live updates and metrics.
//!
//! Parts differ in cost: counting takes long on a large store, while the oldest due task is found at
//! once. So each part has its own [query cache](crate::cache::query_cache), and the full snapshot takes
//! its counts from the cache of counts. Expensive queries take a
//! [read permit](crate::limits::read_permits).

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lru::LruCache;
use steadfast::observe::MetricsSummary;
use steadfast_api::{
    Api, ApiError, BreakerView, EventFilter, EventView, EventsFrom, Local, StatsView, Window,
    WorkerView,
};
use steadfast_store::{Activity, Counts, DueTimes, QueueInfo, Stats, Status, Store, StoreError};
use tokio::time::timeout;
use tokio::try_join;

use super::{Cached, QueryCache};
use crate::limits::ReadPermits;
use crate::lock::lock;

/// Timeout of the check that the store responds, before the actual query.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);
const EVENT_COUNT: u32 = 100;
/// The number of metrics windows that are cached. Dashboards use the same few.
const MAX_CACHED_WINDOWS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(31);

pub(crate) struct StoreSnapshot {
    /// The offset of the store's clock from the local clock.
    pub(crate) clock_offset: SignedDuration,
    pub(crate) counts: Arc<Counts>,
    pub(crate) activity: Activity,
    /// The latest events, oldest first.
    pub(crate) events: Vec<EventView>,
    pub(crate) breakers: Vec<BreakerView>,
    pub(crate) workers: Vec<WorkerView>,
}

impl StoreSnapshot {
    pub(crate) fn by_status(&self) -> [(Status, u64); 6] {
        let Stats { pending, scheduled, running, completed, failed, cancelled, .. } =
            self.counts.stats;
        [
            (Status::Pending, pending),
            (Status::Scheduled, scheduled),
            (Status::Running, running),
            (Status::Completed, completed),
            (Status::Failed, failed),
            (Status::Cancelled, cancelled),
        ]
    }

    pub(crate) fn stats(&self) -> StatsView {
        stats_view(&self.counts)
    }
}

pub(crate) fn stats_view(counts: &Counts) -> StatsView {
    StatsView::new(&counts.stats, counts.queues.clone())
}

/// The oldest due task, and the store's time of the query.
pub(crate) struct OldestDue {
    pub(crate) now: Timestamp,
    pub(crate) due: DueTimes,
}

pub(crate) struct Snapshots {
    source: Source,
    full: QueryCache<StoreSnapshot>,
    counts: QueryCache<Counts>,
    queues: QueryCache<Vec<QueueInfo>>,
    oldest_due: QueryCache<OldestDue>,
    metrics: Mutex<LruCache<Window, QueryCache<MetricsSummary>>>,
}

impl Snapshots {
    /// Caches of this store; expensive queries take these permits.
    pub(crate) fn new(store: Store, api: Arc<Local>, permits: ReadPermits) -> Self {
        Self {
            source: Source { store, api, permits },
            full: QueryCache::default(),
            counts: QueryCache::default(),
            queues: QueryCache::default(),
            oldest_due: QueryCache::default(),
            metrics: Mutex::new(LruCache::new(MAX_CACHED_WINDOWS)),
        }
    }

    /// The last full snapshot, without a query.
    pub(crate) fn cached(&self) -> Cached<StoreSnapshot> {
        self.full.cached()
    }

    /// A recent full snapshot; waits for a query up to `max_wait`.
    pub(crate) async fn full_within(&self, max_wait: Duration) -> Cached<StoreSnapshot> {
        self.full.get_within(max_wait, self.source.clone().full(self.counts.clone())).await
    }

    pub(crate) async fn full(&self) -> Result<Arc<StoreSnapshot>, ApiError> {
        self.full.get_current(|| self.source.clone().full(self.counts.clone())).await
    }

    pub(crate) async fn counts(&self) -> Result<Arc<Counts>, ApiError> {
        self.counts.get_current(|| self.source.clone().counts()).await
    }

    pub(crate) async fn queues(&self) -> Result<Arc<Vec<QueueInfo>>, ApiError> {
        self.queues.get_current(|| self.source.clone().queues()).await
    }

    pub(crate) async fn metrics(&self, window: Window) -> Result<Arc<MetricsSummary>, ApiError> {
        let cache = lock(&self.metrics).get_or_insert(window, QueryCache::default).clone();
        cache.get_current(|| self.source.clone().metrics(window)).await
    }

    /// A recent oldest due task; waits for a query up to `max_wait`.
    pub(crate) async fn oldest_due_within(&self, max_wait: Duration) -> Cached<OldestDue> {
        self.oldest_due.get_within(max_wait, self.source.clone().oldest_due()).await
    }
}

#[derive(Clone)]
struct Source {
    store: Store,
    api: Arc<Local>,
    permits: ReadPermits,
}

impl Source {
    async fn full(self, counts: QueryCache<Counts>) -> Result<StoreSnapshot, ApiError> {
        let clock_offset = self.check_store().await?.duration_since(Timestamp::now());
        let latest = EventFilter::default();
        let activity = async {
            let _permit = self.permits.acquire().await?;
            self.api.activity().await
        };
        let (counts, activity, events, breakers, workers) = try_join!(
            counts.get_current(|| self.clone().counts()),
            activity,
            self.api.events(&latest, EventsFrom::Latest, EVENT_COUNT),
            self.api.breakers(),
            self.api.workers(),
        )?;
        let events = events.items;
        Ok(StoreSnapshot { clock_offset, counts, activity, events, breakers, workers })
    }

    async fn counts(self) -> Result<Counts, ApiError> {
        self.check_store().await?;
        let _permit = self.permits.acquire().await?;
        Ok(self.store.counts().await?)
    }

    async fn queues(self) -> Result<Vec<QueueInfo>, ApiError> {
        self.check_store().await?;
        let _permit = self.permits.acquire().await?;
        Ok(self.store.queues().await?)
    }

    async fn metrics(self, window: Window) -> Result<MetricsSummary, ApiError> {
        let _permit = self.permits.acquire().await?;
        self.api.metrics_summary(window).await
    }

    async fn oldest_due(self) -> Result<OldestDue, ApiError> {
        let now = self.check_store().await?;
        Ok(OldestDue { now, due: self.store.due_times().await? })
    }

    /// The store's time, if the store responds.
    async fn check_store(&self) -> Result<Timestamp, StoreError> {
        let now = timeout(STORE_TIMEOUT, self.store.now()).await;
        now.unwrap_or_else(|_| Err(StoreError::timed_out()))
    }
}
