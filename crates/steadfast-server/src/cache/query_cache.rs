//! A single-flight cache for expensive queries.
//!
//! Counting millions of tasks takes seconds, an unreachable store never answers, and hundreds of pages
//! and several Prometheus servers ask at once. One query serves all of them. It runs in its own task:
//! each caller waits as long as it likes and otherwise gets the last result with its age.
//!
//! A slow query stays fresh for longer, so that queries take only a small fraction of the store's time.
//! A failure is cached briefly, so that a recovered store is noticed at once; but a query that ran so long
//! before failing that the store must have been busy, not unreachable, backs off like a slow success.
//!
//! A caller that needs a current value shares a query with all callers that arrive meanwhile. After a
//! slow query the store gets a cooldown of the same length, so that consecutive pollers do not make it
//! count without a pause.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use steadfast_api::ApiError;
use steadfast_store::StoreError;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::http::internal_error;

const MIN_FRESH: Duration = Duration::from_secs(1);
/// A result stays fresh for this many times the duration of its query.
const FRESH_FACTOR: u32 = 20;
/// A query of at least this duration is followed by a cooldown.
const SLOW_QUERY: Duration = Duration::from_secs(1);
const QUERY_TIMEOUT: Duration = Duration::from_secs(120);
/// A query that fails after this long failed because the store is busy, not unreachable.
const BUSY_AFTER: Duration = Duration::from_secs(60);
const MAX_BACKOFF: Duration = Duration::from_secs(600);

pub(crate) struct Cached<T> {
    /// The result of the last successful query, if any.
    pub(crate) value: Option<Arc<T>>,
    pub(crate) age: Duration,
    pub(crate) error: Option<ApiError>,
}

/// A cache of one query. Cheap to clone.
pub(crate) struct QueryCache<T>(watch::Sender<State<T>>);

struct State<T> {
    value: Option<(Arc<T>, Instant)>,
    error: Option<ApiError>,
    /// Until then, the cached result is fresh.
    fresh_until: Option<Instant>,
    /// Until then, no query is allowed.
    cooldown_until: Option<Instant>,
    /// The numbers of started and finished queries; at most one is in flight.
    started: u64,
    finished: u64,
}

impl<T> Clone for QueryCache<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for QueryCache<T> {
    fn default() -> Self {
        let state = State {
            value: None,
            error: None,
            fresh_until: None,
            cooldown_until: None,
            started: 0,
            finished: 0,
        };
        Self(watch::Sender::new(state))
    }
}

impl<T: Send + Sync + 'static> QueryCache<T> {
    /// The cached result, without a query.
    pub(crate) fn cached(&self) -> Cached<T> {
        let state = self.0.borrow();
        let (value, age) = match &state.value {
            Some((value, at)) => (Some(value.clone()), at.elapsed()),
            None => (None, Duration::ZERO),
        };
        Cached { value, age, error: state.error.clone() }
    }

    /// The cached result if it is fresh; otherwise starts this query, unless one is in flight, and
    /// waits for it up to `max_wait`. It does not wait for a query that starts later.
    pub(crate) async fn get_within(
        &self,
        max_wait: Duration,
        query: impl Future<Output = Result<T, ApiError>> + Send + 'static,
    ) -> Cached<T> {
        let seen = self.0.borrow().finished;
        if self.is_stale() {
            self.start(query);
            let mut state = self.0.subscribe();
            let _ = timeout(max_wait, state.wait_for(|state| state.finished > seen)).await;
        }
        self.cached()
    }

    /// The result of a query that starts no earlier than this call, or the last one in a cooldown.
    pub(crate) async fn get_current<Q>(&self, query: impl Fn() -> Q) -> Result<Arc<T>, ApiError>
    where
        Q: Future<Output = Result<T, ApiError>> + Send + 'static,
    {
        if let Some(value) = self.value_in_cooldown() {
            return Ok(value);
        }
        let wanted = self.0.borrow().started + 1;
        loop {
            if let Some(result) = self.result_of(wanted) {
                return result;
            }
            self.start(query());
            let is_done = |state: &State<T>| state.finished >= wanted || !state.is_in_flight();
            // It fails only without a sender.
            let _ = self.0.subscribe().wait_for(is_done).await;
        }
    }

    fn value_in_cooldown(&self) -> Option<Arc<T>> {
        let state = self.0.borrow();
        let in_cooldown = state.cooldown_until.is_some_and(|until| until > Instant::now());
        state.value.as_ref().filter(|_| in_cooldown).map(|(value, _)| value.clone())
    }

    fn result_of(&self, query: u64) -> Option<Result<Arc<T>, ApiError>> {
        let state = self.0.borrow();
        if state.finished < query {
            return None;
        }
        match (&state.error, &state.value) {
            (None, Some((value, _))) => Some(Ok(value.clone())),
            (Some(error), _) => Some(Err(error.clone())),
            (None, None) => None,
        }
    }

    fn is_stale(&self) -> bool {
        let state = self.0.borrow();
        state.is_in_flight() || state.fresh_until.is_none_or(|until| until <= Instant::now())
    }

    /// Starts the query unless one is in flight.
    fn start(&self, query: impl Future<Output = Result<T, ApiError>> + Send + 'static) {
        let is_started = self.0.send_if_modified(|state| {
            let is_idle = !state.is_in_flight();
            state.started += u64::from(is_idle);
            is_idle
        });
        if is_started {
            tokio::spawn(self.clone().run(query));
        }
    }

    async fn run(self, query: impl Future<Output = Result<T, ApiError>>) {
        let started = Instant::now();
        // A panic must not leave callers waiting.
        let result = match AssertUnwindSafe(timeout(QUERY_TIMEOUT, query)).catch_unwind().await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(StoreError::timed_out().into()),
            Err(_) => Err(internal_error()),
        };
        self.finish(result, started);
    }

    fn finish(&self, result: Result<T, ApiError>, started: Instant) {
        let now = Instant::now();
        let took = now - started;
        let fresh_for = took.saturating_mul(FRESH_FACTOR).max(MIN_FRESH);
        self.0.send_modify(|state| {
            state.finished = state.started;
            match result {
                Ok(value) => {
                    state.value = Some((Arc::new(value), now));
                    state.error = None;
                    state.fresh_until = Some(now + fresh_for);
                    state.cooldown_until = (took >= SLOW_QUERY).then(|| now + took);
                }
                Err(error) => {
                    let is_busy = took >= BUSY_AFTER;
                    let backoff = if is_busy { fresh_for.min(MAX_BACKOFF) } else { MIN_FRESH };
                    state.error = Some(error);
                    state.cooldown_until = None;
                    state.fresh_until = Some(now + backoff);
                }
            }
        });
    }
}

impl<T> State<T> {
    const fn is_in_flight(&self) -> bool {
        self.started > self.finished
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use steadfast_api::ErrorKind;
    use tokio::time::{advance, sleep};

    use super::*;

    const MAX_WAIT: Duration = Duration::from_secs(2);

    async fn unreachable() -> Result<u8, ApiError> {
        Err(StoreError::timed_out().into())
    }

    async fn slow(value: u8, duration: Duration) -> Result<u8, ApiError> {
        sleep(duration).await;
        Ok(value)
    }

    impl QueryCache<u8> {
        /// The cached value after a query that would return `value`.
        async fn get(&self, value: u8) -> Option<u8> {
            self.get_within(MAX_WAIT, async move { Ok(value) }).await.value.map(|value| *value)
        }
    }

    /// O3: one query serves concurrent callers and those that follow shortly after.
    #[tokio::test(start_paused = true)]
    async fn fresh_result_is_shared() {
        let cache = QueryCache::default();
        assert_eq!(tokio::join!(cache.get(1), cache.get(2)), (Some(1), Some(1)));
        assert_eq!(cache.get(3).await, Some(1));
        advance(MIN_FRESH).await;
        assert_eq!(cache.get(4).await, Some(4));
    }

    /// K4, O3: a caller waits for a hanging query no longer than its maximum, and gets the last value
    /// with its age.
    #[tokio::test(start_paused = true)]
    async fn hanging_query_returns_stale_value_after_max_wait() {
        let cache = QueryCache::default();
        assert_eq!(cache.get(1).await, Some(1));
        advance(MIN_FRESH * 2).await;
        for max_wait in [MAX_WAIT, Duration::from_millis(30), Duration::ZERO] {
            let called = Instant::now();
            let cached = cache.get_within(max_wait, pending()).await;
            assert!(called.elapsed() < max_wait + Duration::from_millis(2));
            assert_eq!(cached.value.as_deref(), Some(&1));
            assert!(cached.age >= MIN_FRESH * 2 && cached.error.is_none());
        }
    }

    /// H2: the result of a slow query is available to the next caller.
    #[tokio::test(start_paused = true)]
    async fn slow_query_result_is_available_to_next_caller() {
        let cache = QueryCache::default();
        assert_eq!(cache.get_within(MAX_WAIT, slow(1, MAX_WAIT * 10)).await.value, None);
        sleep(MAX_WAIT * 10).await;
        let cached = cache.get_within(Duration::ZERO, pending()).await;
        assert_eq!(cached.value.as_deref(), Some(&1));
    }

    /// O3: a slow query stays fresh for longer.
    #[tokio::test(start_paused = true)]
    async fn slow_query_stays_fresh_longer() {
        let cache = QueryCache::default();
        cache.get_within(MAX_WAIT, slow(1, Duration::from_secs(1))).await;
        advance(Duration::from_secs(18)).await;
        assert_eq!(cache.get(2).await, Some(1));
        advance(Duration::from_secs(2)).await;
        assert_eq!(cache.get(2).await, Some(2));
    }

    /// O3: a recovered store is noticed at once, even after a slow failure.
    #[tokio::test(start_paused = true)]
    async fn failure_is_cached_briefly() {
        let cache = QueryCache::default();
        let slow = async {
            sleep(Duration::from_secs(30)).await;
            unreachable().await
        };
        assert!(cache.get_within(Duration::from_secs(60), slow).await.error.is_some());
        assert_eq!(cache.get(1).await, None, "the failure is still cached");
        advance(MIN_FRESH).await;
        let cached = cache.get_within(MAX_WAIT, async { Ok(1) }).await;
        assert_eq!((cached.value.as_deref(), cached.error), (Some(&1), None));
    }

    /// O3: a store that cannot finish a query in time gets a long backoff.
    #[tokio::test(start_paused = true)]
    async fn query_timeout_backs_off() {
        let cache = QueryCache::default();
        assert!(cache.get_within(QUERY_TIMEOUT * 2, pending()).await.error.is_some());
        advance(MAX_BACKOFF - MIN_FRESH).await;
        assert_eq!(cache.get(1).await, None, "backing off");
        advance(MIN_FRESH).await;
        assert_eq!(cache.get(1).await, Some(1));
    }

    /// K4: a panic in a query is reported to its callers, and the next query runs.
    #[tokio::test(start_paused = true)]
    async fn panicking_query_reports_error_and_recovers() {
        let cache = QueryCache::<u8>::default();
        let panics = || async { panic!("bug") };
        assert_eq!(cache.get_current(panics).await.unwrap_err().kind, ErrorKind::Internal);
        assert_eq!(*cache.get_current(|| async { Ok(1) }).await.unwrap(), 1);
    }

    /// D15: a current value never comes from a query in flight, and concurrent callers share one query.
    #[tokio::test(start_paused = true)]
    async fn current_value_comes_from_query_started_after_call() {
        let cache = QueryCache::default();
        let old = cache.get_within(Duration::ZERO, slow(1, SLOW_QUERY / 2)).await;
        assert_eq!(old.value, None, "in flight");
        let get = |value| cache.get_current(move || slow(value, SLOW_QUERY / 2));
        let (one, other) = tokio::join!(get(2), get(3));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!(Arc::ptr_eq(&one, &other) && [2, 3].contains(&*one), "{one} {other}");
        assert!(cache.get_current(unreachable).await.is_err());
    }

    /// O3, D15: a caller gets the result of its query, even if another caller starts the next one
    /// before it wakes.
    #[tokio::test(start_paused = true)]
    async fn finished_query_is_enough_while_the_next_is_in_flight() {
        let query = || slow(1, SLOW_QUERY / 2);
        let cache = QueryCache::default();
        let mut waiter = pin!(cache.get_within(MAX_WAIT, query()));
        assert!(waiter.as_mut().now_or_never().is_none(), "in flight");
        sleep(SLOW_QUERY).await;
        cache.start(pending());
        let cached = waiter.now_or_never().expect("its query has finished");
        assert_eq!(cached.value.as_deref(), Some(&1));

        let cache = QueryCache::default();
        let mut waiter = pin!(cache.get_current(query));
        assert!(waiter.as_mut().now_or_never().is_none(), "in flight");
        sleep(SLOW_QUERY).await;
        cache.start(pending());
        let result = waiter.now_or_never().expect("its query has finished");
        assert_eq!(*result.unwrap(), 1);
    }

    /// D15, K4: consecutive pollers get the last value during the cooldown and a current one after it.
    #[tokio::test(start_paused = true)]
    async fn slow_query_is_followed_by_equal_cooldown() {
        let cache = QueryCache::default();
        let took = SLOW_QUERY * 3;
        let get = async |value| *cache.get_current(move || slow(value, took)).await.unwrap();
        assert_eq!(get(1).await, 1);
        assert_eq!(get(2).await, 1, "cooldown");
        advance(took).await;
        assert_eq!(get(3).await, 3);
    }
}
