//! What is dear to find out, found out once for all who ask.
//!
//! Counting a store of millions takes a moment, a store that is away takes for ever, and a hundred
//! pages and three Prometheus servers ask at once. So one look serves all of them. It is made
//! beside those who ask: each waits for it as long as they like, and is told what was seen last,
//! and how long ago.
//!
//! A look that took long is good for longer, so that looking is never more than a small share of
//! what the store does. One that failed is good for a moment only: a store that is back is seen at
//! once. But where it took so long that the store must have been at work, it is no store that is
//! away but one that has too much to count, and it is left alone as after a success.
//!
//! Who has to know what holds now gets a look of their own, together with all who ask meanwhile.
//! Pollers that do so one behind the other would have a large store count without a pause, so
//! after a look that took long it has as long a rest.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::StoreError;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How long a look is good for at least.
const FRESH: Duration = Duration::from_secs(1);
/// A look is good for so many times as long as it took.
const GOOD_FOR: u32 = 20;
/// A look that took so long is one that the store has to rest from.
const SLOW: Duration = Duration::from_secs(1);
/// How long a look may take before it is given up.
const LONGEST: Duration = Duration::from_secs(120);
/// Who is away is found to be in less time than this.
const AT_WORK: Duration = Duration::from_secs(60);
/// After a look that failed the next one is made no later than this.
const LONGEST_REST: Duration = Duration::from_secs(600);

/// What is told.
#[derive(Debug)]
pub(crate) struct LastSeen<T> {
    /// What the last look saw that succeeded, if any did.
    pub(crate) seen: Option<Arc<T>>,
    /// How long ago that was.
    pub(crate) age: Duration,
    /// What has gone wrong since.
    pub(crate) failure: Option<ApiError>,
}

/// What was seen last, shared by all who ask. Cheap to clone.
#[derive(Debug)]
pub(crate) struct SharedLook<T>(Arc<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    last: Mutex<Last<T>>,
    looked: Notify,
}

#[derive(Debug)]
struct Last<T> {
    seen: Option<(Arc<T>, Instant)>,
    failure: Option<ApiError>,
    /// Until when nobody need look again.
    good_until: Option<Instant>,
    /// Until when nobody may.
    rests_until: Option<Instant>,
    /// How many looks have begun, and how many of them have ended: one at a time is under way.
    begun: u64,
    ended: u64,
}

impl<T> Clone for SharedLook<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for SharedLook<T> {
    fn default() -> Self {
        let last = Last {
            seen: None,
            failure: None,
            good_until: None,
            rests_until: None,
            begun: 0,
            ended: 0,
        };
        Self(Arc::new(Inner { last: Mutex::new(last), looked: Notify::new() }))
    }
}

impl<T: Send + Sync + 'static> SharedLook<T> {
    /// What is known, without a look.
    pub(crate) fn known(&self) -> LastSeen<T> {
        let last = self.last();
        let (seen, age) = match &last.seen {
            Some((seen, at)) => (Some(seen.clone()), at.elapsed()),
            None => (None, Duration::ZERO),
        };
        LastSeen { seen, age, failure: last.failure.clone() }
    }

    /// What is known after this look, if one is needed and nobody looks already, or after so
    /// long.
    pub(crate) async fn within(
        &self,
        patience: Duration,
        look: impl Future<Output = Result<T, ApiError>> + Send + 'static,
    ) -> LastSeen<T> {
        let looked = self.0.looked.notified();
        tokio::pin!(looked);
        looked.as_mut().enable();
        if self.needs_a_look() {
            self.begin(look);
            // What is known by then is told.
            let _ = timeout(patience, looked).await;
        }
        self.known()
    }

    /// What a look sees that begins no earlier than this call; while the store rests, what the
    /// last one saw.
    pub(crate) async fn anew<L>(&self, look: impl Fn() -> L) -> Result<Arc<T>, ApiError>
    where
        L: Future<Output = Result<T, ApiError>> + Send + 'static,
    {
        if let Some(seen) = self.seen_before_a_rest() {
            return Ok(seen);
        }
        let wanted = self.last().begun + 1;
        loop {
            let looked = self.0.looked.notified();
            tokio::pin!(looked);
            looked.as_mut().enable();
            if let Some(outcome) = self.outcome_of(wanted) {
                return outcome;
            }
            self.begin(look());
            looked.await;
        }
    }

    fn seen_before_a_rest(&self) -> Option<Arc<T>> {
        let last = self.last();
        let rests = last.rests_until.is_some_and(|until| until > Instant::now());
        last.seen.as_ref().filter(|_| rests).map(|(seen, _)| seen.clone())
    }

    fn outcome_of(&self, look: u64) -> Option<Result<Arc<T>, ApiError>> {
        let last = self.last();
        if last.ended < look {
            return None;
        }
        match (&last.failure, &last.seen) {
            (None, Some((seen, _))) => Some(Ok(seen.clone())),
            (Some(failure), _) => Some(Err(failure.clone())),
            (None, None) => None,
        }
    }

    fn needs_a_look(&self) -> bool {
        let last = self.last();
        last.is_looking() || last.good_until.is_none_or(|until| until <= Instant::now())
    }

    /// Looks, unless somebody does.
    fn begin(&self, look: impl Future<Output = Result<T, ApiError>> + Send + 'static) {
        let mut last = self.last();
        if !last.is_looking() {
            last.begun += 1;
            tokio::spawn(self.clone().look(look));
        }
    }

    async fn look(self, look: impl Future<Output = Result<T, ApiError>>) {
        let began = Instant::now();
        // Whoever waits is told even if the look panics.
        let outcome = AssertUnwindSafe(timeout(LONGEST, look)).catch_unwind().await;
        let outcome = match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(StoreError::no_answer().into()),
            Err(_) => Err(broken()),
        };
        self.end(outcome, began);
    }

    fn end(&self, outcome: Result<T, ApiError>, began: Instant) {
        let now = Instant::now();
        let took = now - began;
        let good_for = took.saturating_mul(GOOD_FOR).max(FRESH);
        let mut last = self.last();
        last.ended = last.begun;
        match outcome {
            Ok(seen) => {
                last.seen = Some((Arc::new(seen), now));
                last.failure = None;
                last.good_until = Some(now + good_for);
                last.rests_until = (took >= SLOW).then(|| now + took);
            }
            Err(failure) => {
                let rest = if took < AT_WORK { FRESH } else { good_for.min(LONGEST_REST) };
                last.failure = Some(failure);
                last.rests_until = None;
                last.good_until = Some(now + rest);
            }
        }
        drop(last);
        self.0.looked.notify_waiters();
    }

    fn last(&self) -> MutexGuard<'_, Last<T>> {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Last<T> {
    const fn is_looking(&self) -> bool {
        self.begun > self.ended
    }
}

fn broken() -> ApiError {
    let words = "the server met a mistake of its own while it looked at the store";
    ApiError::new(ErrorKind::Broken, words).next("see the server's log")
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::{advance, sleep};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(2);

    async fn away() -> Result<u8, ApiError> {
        Err(StoreError::no_answer().into())
    }

    async fn slowly(seen: u8, takes: Duration) -> Result<u8, ApiError> {
        sleep(takes).await;
        Ok(seen)
    }

    impl SharedLook<u8> {
        /// What is told, by a look that would see this.
        async fn seen(&self, look: u8) -> Option<u8> {
            self.within(PATIENCE, async move { Ok(look) }).await.seen.map(|seen| *seen)
        }
    }

    /// O3: one look serves all who ask at once, and those who ask soon after.
    #[tokio::test(start_paused = true)]
    async fn a_look_is_shared_while_it_is_fresh() {
        let kept = SharedLook::default();
        assert_eq!(tokio::join!(kept.seen(1), kept.seen(2)), (Some(1), Some(1)));
        assert_eq!(kept.seen(3).await, Some(1));
        advance(FRESH).await;
        assert_eq!(kept.seen(4).await, Some(4));
    }

    /// K4, O3: a look that does not end keeps nobody waiting for longer than they like, and what
    /// was seen before is told with its age.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_does_not_answer_keeps_nobody_waiting() {
        let kept = SharedLook::default();
        assert_eq!(kept.seen(1).await, Some(1));
        advance(FRESH * 2).await;
        for patience in [PATIENCE, Duration::from_millis(30), Duration::ZERO] {
            let began = Instant::now();
            let told = kept.within(patience, pending()).await;
            assert!(began.elapsed() < patience + Duration::from_millis(2));
            assert_eq!(told.seen.as_deref(), Some(&1));
            assert!(told.age >= FRESH * 2 && told.failure.is_none());
        }
    }

    /// H2: however long a look takes, it is there for the next who asks.
    #[tokio::test(start_paused = true)]
    async fn a_slow_look_is_there_for_the_next() {
        let kept = SharedLook::default();
        assert_eq!(kept.within(PATIENCE, slowly(1, PATIENCE * 10)).await.seen, None);
        sleep(PATIENCE * 10).await;
        let told = kept.within(Duration::ZERO, pending()).await;
        assert_eq!(told.seen.as_deref(), Some(&1));
    }

    /// O3: the longer a look takes, the longer it has to do.
    #[tokio::test(start_paused = true)]
    async fn a_slow_store_is_asked_less_often() {
        let kept = SharedLook::default();
        kept.within(PATIENCE, slowly(1, Duration::from_secs(1))).await;
        advance(Duration::from_secs(18)).await;
        assert_eq!(kept.seen(2).await, Some(1));
        advance(Duration::from_secs(2)).await;
        assert_eq!(kept.seen(2).await, Some(2));
    }

    /// O3: a store that took long to say that it is away is seen to be back as soon as any other.
    #[tokio::test(start_paused = true)]
    async fn a_failure_is_not_kept() {
        let kept = SharedLook::default();
        let slow = async {
            sleep(Duration::from_secs(30)).await;
            away().await
        };
        assert!(kept.within(Duration::from_secs(60), slow).await.failure.is_some());
        assert_eq!(kept.seen(1).await, None, "it was asked a moment ago");
        advance(FRESH).await;
        let told = kept.within(PATIENCE, async { Ok(1) }).await;
        assert_eq!((told.seen.as_deref(), told.failure), (Some(&1), None));
    }

    /// O3: a store that has more to count than can be counted is not made to count without a pause.
    #[tokio::test(start_paused = true)]
    async fn a_look_that_takes_too_long_is_not_made_again_at_once() {
        let kept = SharedLook::default();
        assert!(kept.within(LONGEST * 2, pending()).await.failure.is_some());
        advance(LONGEST_REST - FRESH).await;
        assert_eq!(kept.seen(1).await, None, "it has a rest");
        advance(FRESH).await;
        assert_eq!(kept.seen(1).await, Some(1));
    }

    /// K4: a mistake in a look is told to those who wait for it, and the next look is made.
    #[tokio::test(start_paused = true)]
    async fn a_look_that_panics_keeps_nobody_waiting() {
        let kept = SharedLook::<u8>::default();
        let panics = || async { panic!("a mistake") };
        assert_eq!(kept.anew(panics).await.unwrap_err().kind, ErrorKind::Broken);
        assert_eq!(*kept.anew(|| async { Ok(1) }).await.unwrap(), 1);
    }

    /// D15: who wants to know what holds now is not told what held before, and many of them are
    /// still one look.
    #[tokio::test(start_paused = true)]
    async fn a_look_anew_begins_after_it_is_asked_for() {
        let kept = SharedLook::default();
        let old = kept.within(Duration::ZERO, slowly(1, SLOW / 2)).await;
        assert_eq!(old.seen, None, "it is under way");
        let look = |seen| kept.anew(move || slowly(seen, SLOW / 2));
        let (one, other) = tokio::join!(look(2), look(3));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!(Arc::ptr_eq(&one, &other) && [2, 3].contains(&*one), "{one} {other}");
        assert!(kept.anew(away).await.is_err());
    }

    /// D15, K4: pollers that come one behind the other do not have a large store count without a
    /// pause, and when it had its rest they are told what holds then.
    #[tokio::test(start_paused = true)]
    async fn a_store_rests_as_long_as_a_slow_look_took() {
        let kept = SharedLook::default();
        let took = SLOW * 3;
        let look = async |seen| *kept.anew(move || slowly(seen, took)).await.unwrap();
        assert_eq!(look(1).await, 1);
        assert_eq!(look(2).await, 1, "it rests");
        advance(took).await;
        assert_eq!(look(3).await, 3);
    }
}
