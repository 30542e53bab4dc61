//! How the store stands: what the overview shows, what tells pages to look again, and what
//! Prometheus is told.
//!
//! Not everybody wants all of it, and some of it is dear: to count takes long where there is very
//! much, and what is due first is known at once. So there is a look for each, [shared](crate::cache::query_cache)
//! for all who want it, and the look at everything takes its counts from the one that counts. What is
//! dear takes a [turn](crate::limits::read_permits).

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lru::LruCache;
use steadfast::observe::MetricsSummary;
use steadfast_api::{
    Api, ApiError, BreakerView, EventFilter, EventView, EventsFrom, Local, StatsView, Window,
    WorkerView,
};
use steadfast_store::{Activity, Counts, Due, QueueInfo, Store, StoreError};
use tokio::time::timeout;
use tokio::try_join;

use crate::cache::query_cache::{LastSeen, SharedLook};
use crate::limits::read_permits::Turns;

/// How long the store may take to say anything before it is as good as away. To count may take
/// longer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many of the latest events are looked at.
const EVENTS: u32 = 100;
/// The figures of so many windows are kept. Dashboards ask for the same few.
const WINDOWS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(31);

/// Everything.
#[derive(Debug)]
pub(crate) struct Standing {
    /// How far the store's clock is ahead of this machine's.
    pub(crate) ahead: SignedDuration,
    pub(crate) counts: Arc<Counts>,
    pub(crate) activity: Activity,
    /// The latest, oldest first.
    pub(crate) events: Vec<EventView>,
    pub(crate) breakers: Vec<BreakerView>,
    pub(crate) workers: Vec<WorkerView>,
}

impl Standing {
    /// How many tasks are where, as the API tells it.
    pub(crate) fn stats(&self) -> StatsView {
        view(&self.counts)
    }
}

/// Counts as the API tells them.
pub(crate) fn view(counts: &Counts) -> StatsView {
    StatsView::new(&counts.stats, counts.queues.clone())
}

/// What is due first, and when that was so by the store's time.
#[derive(Debug)]
pub(crate) struct DueFirst {
    pub(crate) now: Timestamp,
    pub(crate) due: Due,
}

/// The looks, each shared by all who want it.
#[derive(Debug)]
pub(crate) struct Looks {
    turns: Turns,
    everything: SharedLook<Standing>,
    counts: SharedLook<Counts>,
    queues: SharedLook<Vec<QueueInfo>>,
    due: SharedLook<DueFirst>,
    figures: Mutex<LruCache<Window, SharedLook<MetricsSummary>>>,
}

impl Looks {
    /// Those that take their turns here.
    pub(crate) fn new(turns: Turns) -> Self {
        Self {
            turns,
            everything: SharedLook::default(),
            counts: SharedLook::default(),
            queues: SharedLook::default(),
            due: SharedLook::default(),
            figures: Mutex::new(LruCache::new(WINDOWS)),
        }
    }

    /// How the store stood when somebody looked last.
    pub(crate) fn stood(&self) -> LastSeen<Standing> {
        self.everything.known()
    }

    /// How the store stands, as far as that is known within this time.
    pub(crate) async fn stands_within(
        &self,
        patience: Duration,
        store: &Store,
        api: Local,
    ) -> LastSeen<Standing> {
        self.everything.within(patience, self.see(store, api)).await
    }

    /// How it stands now, however long that takes.
    pub(crate) async fn stands(
        &self,
        store: &Store,
        api: impl Fn() -> Local,
    ) -> Result<Arc<Standing>, ApiError> {
        self.everything.anew(|| self.see(store, api())).await
    }

    /// How many tasks are where now, however long that takes.
    pub(crate) async fn counts(&self, store: &Store) -> Result<Arc<Counts>, ApiError> {
        self.counts.anew(|| count(self.turns.clone(), store.clone())).await
    }

    /// The queues as they are now, however long that takes.
    pub(crate) async fn queues(&self, store: &Store) -> Result<Arc<Vec<QueueInfo>>, ApiError> {
        self.queues.anew(|| count_queues(self.turns.clone(), store.clone())).await
    }

    /// How well it went within this window until now, however long that takes.
    pub(crate) async fn figures(
        &self,
        window: Window,
        api: impl Fn() -> Local,
    ) -> Result<Arc<MetricsSummary>, ApiError> {
        let kept = {
            let mut windows = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
            windows.get_or_insert(window, SharedLook::default).clone()
        };
        kept.anew(|| rollup(self.turns.clone(), api(), window)).await
    }

    /// What is due first, as far as that is known within this time.
    pub(crate) async fn due_within(&self, patience: Duration, store: &Store) -> LastSeen<DueFirst> {
        self.due.within(patience, due(store.clone())).await
    }

    fn see(
        &self,
        store: &Store,
        api: Local,
    ) -> impl Future<Output = Result<Standing, ApiError>> + use<> {
        see(self.turns.clone(), self.counts.clone(), store.clone(), api)
    }
}

async fn see(
    turns: Turns,
    counts: SharedLook<Counts>,
    store: Store,
    api: Local,
) -> Result<Standing, ApiError> {
    let ahead = answers(&store).await?.duration_since(Timestamp::now());
    let latest = EventFilter::default();
    let activity = async {
        let _turn = turns.take().await?;
        api.activity().await
    };
    let (counts, activity, events, breakers, workers) = try_join!(
        counts.anew(|| count(turns.clone(), store.clone())),
        activity,
        api.events(&latest, EventsFrom::Latest, EVENTS),
        api.breakers(),
        api.workers(),
    )?;
    Ok(Standing { ahead, counts, activity, events: events.items, breakers, workers })
}

async fn count(turns: Turns, store: Store) -> Result<Counts, ApiError> {
    answers(&store).await?;
    let _turn = turns.take().await?;
    Ok(store.counts().await?)
}

async fn count_queues(turns: Turns, store: Store) -> Result<Vec<QueueInfo>, ApiError> {
    answers(&store).await?;
    let _turn = turns.take().await?;
    Ok(store.queues().await?)
}

async fn rollup(turns: Turns, api: Local, window: Window) -> Result<MetricsSummary, ApiError> {
    let _turn = turns.take().await?;
    api.figures(window).await
}

async fn due(store: Store) -> Result<DueFirst, ApiError> {
    let now = answers(&store).await?;
    Ok(DueFirst { now, due: store.due().await? })
}

/// The store's time, if it answers at all.
async fn answers(store: &Store) -> Result<Timestamp, StoreError> {
    timeout(PATIENCE, store.now()).await.unwrap_or_else(|_| Err(StoreError::no_answer()))
}
