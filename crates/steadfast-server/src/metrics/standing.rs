//! How the store stands, asked by whoever scrapes.
//!
//! Counting a store of millions takes a moment, a store that is away takes for ever, and three
//! Prometheus servers may ask at once. So one look serves all who ask while it is fresh; whoever
//! asks waits for a new one for a bounded time; and a look that takes longer goes on by itself,
//! for the next who asks. What is told is at worst old, and says how old it is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use steadfast_store::{BreakerReport, QueueInfo, Stats, Store, StoreError};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How old a look may be at least, before there is a new one.
const FRESH: Duration = Duration::from_secs(1);
/// A look is good for so many times as long as it took: a store that is slow to count is not
/// asked all the time.
const GOOD_FOR: u32 = 10;
/// How long somebody waits for a new look.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a look may take before it is given up.
const LONGEST: Duration = Duration::from_secs(30);

/// What one look saw.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) now: Timestamp,
    pub(super) stats: Stats,
    pub(super) queues: Vec<QueueInfo>,
    pub(super) breakers: Vec<BreakerReport>,
}

/// What is told: the last look that succeeded, if any, and whether the store answers.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) seen: Option<Arc<Seen>>,
    /// How long ago that was.
    pub(super) age: Duration,
    pub(super) is_up: bool,
}

/// The last look, shared by all who ask. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    last: Mutex<Last>,
    looked: Notify,
}

#[derive(Debug, Default)]
struct Last {
    seen: Option<(Arc<Seen>, Instant)>,
    /// Whether the latest look that ended succeeded.
    is_up: bool,
    /// Until when nobody need look again.
    good_until: Option<Instant>,
    is_looking: bool,
}

impl Standing {
    /// How the store stands, within a bounded time.
    pub(super) async fn now(&self, store: &Store) -> Told {
        self.by(see(store.clone())).await
    }

    /// The same, by this look if it needs one.
    async fn by(
        &self,
        see: impl Future<Output = Result<Seen, StoreError>> + Send + 'static,
    ) -> Told {
        let looked = self.0.looked.notified();
        tokio::pin!(looked);
        looked.as_mut().enable();
        if !self.needs_a_look() {
            return self.told(true);
        }
        if self.begin() {
            tokio::spawn(look(self.clone(), see));
        }
        let in_time = timeout(PATIENCE, looked).await.is_ok();
        self.told(in_time)
    }

    fn needs_a_look(&self) -> bool {
        let last = self.last();
        last.is_looking || last.good_until.is_none_or(|until| until <= Instant::now())
    }

    /// Whether it is for this one to look.
    fn begin(&self) -> bool {
        !std::mem::replace(&mut self.last().is_looking, true)
    }

    fn end(&self, seen: Option<Seen>, took: Duration) {
        let mut last = self.last();
        last.is_looking = false;
        last.is_up = seen.is_some();
        last.good_until = Some(Instant::now() + (took * GOOD_FOR).max(FRESH));
        if let Some(seen) = seen {
            last.seen = Some((Arc::new(seen), Instant::now()));
        }
        drop(last);
        self.0.looked.notify_waiters();
    }

    fn told(&self, in_time: bool) -> Told {
        let last = self.last();
        let (seen, age) = match &last.seen {
            Some((seen, at)) => (Some(seen.clone()), at.elapsed()),
            None => (None, Duration::ZERO),
        };
        Told { seen, age, is_up: last.is_up && in_time }
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn look(standing: Standing, see: impl Future<Output = Result<Seen, StoreError>>) {
    let began = Instant::now();
    let seen = timeout(LONGEST, see).await.unwrap_or_else(|_| Err(StoreError::no_answer()));
    standing.end(seen.ok(), began.elapsed());
}

async fn see(store: Store) -> Result<Seen, StoreError> {
    Ok(Seen {
        now: store.now().await?,
        stats: store.stats().await?,
        queues: store.queues().await?,
        breakers: store.breakers().await?,
    })
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::{advance, sleep};

    use super::*;

    async fn nothing() -> Result<Seen, StoreError> {
        let (queues, breakers) = (Vec::new(), Vec::new());
        Ok(Seen { now: Timestamp::UNIX_EPOCH, stats: Stats::default(), queues, breakers })
    }

    async fn away() -> Result<Seen, StoreError> {
        Err(StoreError::no_answer())
    }

    /// O3: one look serves all who ask at once, and those who ask soon after.
    #[tokio::test(start_paused = true)]
    async fn a_look_is_shared_while_it_is_fresh() {
        let standing = Standing::default();
        let (one, other) = tokio::join!(standing.by(nothing()), standing.by(pending()));
        let (one, other) = (one.seen.unwrap(), other.seen.unwrap());
        assert!(Arc::ptr_eq(&one, &other));
        assert!(Arc::ptr_eq(&one, &standing.by(pending()).await.seen.unwrap()));
        advance(FRESH).await;
        assert!(!Arc::ptr_eq(&one, &standing.by(nothing()).await.seen.unwrap()));
    }

    /// K4, O3: a look that does not end keeps nobody waiting for longer than a moment, and what
    /// was seen before is told as it was.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_does_not_answer_keeps_nobody_waiting() {
        let standing = Standing::default();
        assert!(standing.by(nothing()).await.is_up);
        advance(FRESH * 2).await;
        for _ in 0..2 {
            let began = Instant::now();
            let told = standing.by(pending()).await;
            assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs());
            assert!(!told.is_up && told.seen.is_some() && told.age >= FRESH * 2);
        }
    }

    /// O3: a look that took too long for whoever asked serves the next.
    #[tokio::test(start_paused = true)]
    async fn a_slow_look_is_there_for_the_next() {
        let standing = Standing::default();
        let slow = async {
            sleep(PATIENCE * 2).await;
            nothing().await
        };
        assert!(standing.by(slow).await.seen.is_none());
        sleep(PATIENCE * 2).await;
        let told = standing.by(pending()).await;
        assert!(told.is_up && told.seen.is_some());
    }

    /// O3: a store that failed is said to be away, until it answers.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_failed_is_away_until_it_answers() {
        let standing = Standing::default();
        assert!(!standing.by(away()).await.is_up);
        assert!(!standing.by(nothing()).await.is_up, "it was asked a moment ago");
        advance(FRESH).await;
        assert!(standing.by(nothing()).await.is_up);
    }

    /// O3: the longer a look takes, the longer it has to do.
    #[tokio::test(start_paused = true)]
    async fn a_slow_store_is_asked_less_often() {
        let standing = Standing::default();
        standing.end(None, Duration::from_secs(3));
        advance(Duration::from_secs(29)).await;
        assert!(!standing.needs_a_look());
        advance(Duration::from_secs(1)).await;
        assert!(standing.needs_a_look());
    }
}
