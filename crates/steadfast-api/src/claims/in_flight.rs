//! Attempts that workers elsewhere make, and the leave that was given for each.
//!
//! A breaker wants to hear how the very call ended that it let through, a probe above all (G2), and
//! between a claim and its last word there are two requests. So leave is kept here meanwhile. And
//! the last word may have to be said twice, if the store did not take it the first time: a retry
//! that the budget has granted by then is not drawn from it again (G3). What a lost worker never
//! ended is forgotten some time after its lease is over.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use steadfast_store::{AttemptPermit, FencingToken, TaskId};

/// So many are kept before the first look for those that nobody will end.
const FEW: usize = 1000;

/// The attempts that were begun through this process.
#[derive(Debug, Default)]
pub(crate) struct UnderWay(Mutex<Kept>);

/// How long a granted retry is remembered of an attempt that was handed out elsewhere.
const LEASE: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Default)]
struct Kept {
    attempts: HashMap<(TaskId, FencingToken), Attempt>,
    /// How many there were when it was last tidied up.
    before: usize,
}

#[derive(Debug)]
struct Attempt {
    /// Unless it was given elsewhere.
    leave: Option<AttemptPermit>,
    /// When nobody will end it any more.
    until: Option<Instant>,
    /// Whether the budget has granted the retry after it.
    is_granted: bool,
}

impl Attempt {
    fn new(leave: Option<AttemptPermit>, lease: Duration) -> Self {
        Self { leave, until: end_of(lease), is_granted: false }
    }
}

impl UnderWay {
    /// An attempt begins, under a lease of so long.
    pub(crate) fn begin(
        &self,
        id: TaskId,
        version: FencingToken,
        leave: AttemptPermit,
        lease: Duration,
    ) {
        if leave.is_awaited() {
            let mut kept = self.kept();
            kept.tidy_up();
            kept.attempts.insert((id, version), Attempt::new(Some(leave), lease));
        }
    }

    /// Its lease is kept for so long.
    pub(crate) fn keep(&self, id: TaskId, version: FencingToken, lease: Duration) {
        if let Some(attempt) = self.kept().attempts.get_mut(&(id, version)) {
            attempt.until = end_of(lease);
        }
    }

    /// It ended, or is nobody's any more; the leave that was given for it, if that is known.
    pub(crate) fn end(&self, id: TaskId, version: FencingToken) -> Option<AttemptPermit> {
        self.kept().attempts.remove(&(id, version))?.leave
    }

    /// Whether its budget grants the retry after it, which is asked until it does.
    pub(crate) fn grant(
        &self,
        id: TaskId,
        version: FencingToken,
        withdraw: impl FnOnce() -> bool,
    ) -> bool {
        let mut kept = self.kept();
        if kept.attempts.get(&(id, version)).is_some_and(|attempt| attempt.is_granted) {
            return true;
        }
        if !withdraw() {
            return false;
        }
        kept.tidy_up();
        let attempt = kept.attempts.entry((id, version));
        attempt.or_insert_with(|| Attempt::new(None, LEASE)).is_granted = true;
        true
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Looks at all of them only when they have doubled, so that it costs nobody much.
    fn tidy_up(&mut self) {
        if self.attempts.len() >= FEW.max(2 * self.before) {
            let now = Instant::now();
            self.attempts.retain(|_, attempt| attempt.until.is_some_and(|until| now < until));
            self.before = self.attempts.len();
        }
    }
}

/// When a lease that is not kept is over; nothing if that is beyond what a clock shows, and no lease
/// is so long.
fn end_of(lease: Duration) -> Option<Instant> {
    Instant::now().checked_add(lease)
}

#[cfg(test)]
mod tests {
    use steadfast::Policy;
    use steadfast_store::{ClaimRequest, MAX_LEASE, Store, Task};

    use super::*;

    /// K4: what lost workers leave behind does not pile up, however long a lease they had; what is
    /// kept alive stays.
    #[tokio::test]
    async fn what_nobody_will_end_is_forgotten() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let guarded = Policy::immediate().enable_circuit_breaker(true).build().unwrap();
        store.submit(Task::new("a", &1).under(guarded)).await.unwrap();
        let claimed = store.claim(&ClaimRequest::new("w1", 1)).await.unwrap().tasks.remove(0);
        let under_way = UnderWay::default();
        let begin = |version| {
            let leave = claimed.leave().unwrap();
            let lease = if version % 2 == 0 { Duration::ZERO } else { Duration::MAX };
            under_way.begin(claimed.id, FencingToken(version), leave, lease);
        };
        begin(0);
        under_way.keep(claimed.id, FencingToken(0), MAX_LEASE);
        (1..=3 * FEW as i64).for_each(begin);
        assert!(under_way.kept().attempts.len() <= FEW + 1);
        assert!(under_way.end(claimed.id, FencingToken(0)).is_some());
        assert!(under_way.end(claimed.id, FencingToken(0)).is_none());
    }
}
