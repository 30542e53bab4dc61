//! Attempts in flight at workers that claim over HTTP, with their permits.
//!
//! A breaker needs the outcome of the very attempt that it permitted, above all of a probe (G2), and
//! claim and outcome are two requests. The permit is held here in between. A worker may also report
//! an outcome twice, if the store did not commit the first report: a retry that the budget granted
//! by then is not charged again (G3). Entries of lost workers are dropped some time after their
//! lease expires.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use steadfast_store::{AttemptPermit, FencingToken, TaskId};

/// The number of attempts below which expired ones are not dropped.
const MIN_ATTEMPTS_TO_SWEEP: usize = 1000;
/// How long a granted retry is remembered for an attempt that another instance handed out.
const GRANT_TTL: Duration = Duration::from_secs(60 * 60);

/// The attempts that were claimed through this process.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<Attempts>);

#[derive(Debug, Default)]
struct Attempts {
    by_lease: HashMap<(TaskId, FencingToken), Attempt>,
    /// How many were left after the last sweep.
    after_sweep: usize,
}

#[derive(Debug)]
struct Attempt {
    /// The permit, unless another instance acquired it.
    permit: Option<AttemptPermit>,
    /// When the lease expires.
    expires: Option<Instant>,
    /// Whether the budget has granted the retry after this attempt.
    retry_granted: bool,
}

impl Attempt {
    fn new(permit: Option<AttemptPermit>, lease: Duration) -> Self {
        Self { permit, expires: expiry(lease), retry_granted: false }
    }
}

impl InFlight {
    /// Adds an attempt with its permit and lease.
    pub(crate) fn begin(
        &self,
        id: TaskId,
        token: FencingToken,
        permit: AttemptPermit,
        lease: Duration,
    ) {
        if permit.is_tracked() {
            let mut attempts = self.lock();
            attempts.sweep();
            attempts.by_lease.insert((id, token), Attempt::new(Some(permit), lease));
        }
    }

    /// Extends the lease of an attempt.
    pub(crate) fn extend(&self, id: TaskId, token: FencingToken, lease: Duration) {
        if let Some(attempt) = self.lock().by_lease.get_mut(&(id, token)) {
            attempt.expires = expiry(lease);
        }
    }

    /// Removes an attempt that ended or lost its lease; returns its permit, if it is here.
    pub(crate) fn end(&self, id: TaskId, token: FencingToken) -> Option<AttemptPermit> {
        self.lock().by_lease.remove(&(id, token))?.permit
    }

    /// Whether the budget grants the retry after an attempt. It is charged once.
    pub(crate) fn grant_retry(
        &self,
        id: TaskId,
        token: FencingToken,
        withdraw: impl FnOnce() -> bool,
    ) -> bool {
        let mut attempts = self.lock();
        if attempts.by_lease.get(&(id, token)).is_some_and(|attempt| attempt.retry_granted) {
            return true;
        }
        if !withdraw() {
            return false;
        }
        attempts.sweep();
        let attempt = attempts.by_lease.entry((id, token));
        attempt.or_insert_with(|| Attempt::new(None, GRANT_TTL)).retry_granted = true;
        true
    }

    fn lock(&self) -> MutexGuard<'_, Attempts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempts {
    /// Drops expired attempts once their number has doubled, so the cost is constant on average.
    fn sweep(&mut self) {
        if self.by_lease.len() >= MIN_ATTEMPTS_TO_SWEEP.max(2 * self.after_sweep) {
            let now = Instant::now();
            self.by_lease.retain(|_, attempt| attempt.expires.is_some_and(|expires| now < expires));
            self.after_sweep = self.by_lease.len();
        }
    }
}

/// When a lease expires; `None` if that is beyond the range of the clock, which no valid lease is.
fn expiry(lease: Duration) -> Option<Instant> {
    Instant::now().checked_add(lease)
}

#[cfg(test)]
mod tests {
    use steadfast::Policy;
    use steadfast_store::{ClaimRequest, MAX_LEASE, Store, Task};

    use super::*;

    /// K4: attempts of lost workers do not pile up, however long their lease was; an attempt with an
    /// extended lease stays.
    #[tokio::test]
    async fn attempts_of_lost_workers_are_dropped() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let guarded = Policy::immediate().enable_circuit_breaker(true).build().unwrap();
        store.submit(Task::new("a", &1).under(guarded)).await.unwrap();
        let claimed = store.claim(&ClaimRequest::new("w1", 1)).await.unwrap().tasks.remove(0);
        let in_flight = InFlight::default();
        let begin = |token| {
            let permit = claimed.acquire_permit().unwrap();
            let lease = if token % 2 == 0 { Duration::ZERO } else { Duration::MAX };
            in_flight.begin(claimed.id, FencingToken(token), permit, lease);
        };
        begin(0);
        in_flight.extend(claimed.id, FencingToken(0), MAX_LEASE);
        (1..=3 * MIN_ATTEMPTS_TO_SWEEP as i64).for_each(begin);
        assert!(in_flight.lock().by_lease.len() <= MIN_ATTEMPTS_TO_SWEEP + 1);
        assert!(in_flight.end(claimed.id, FencingToken(0)).is_some());
        assert!(in_flight.end(claimed.id, FencingToken(0)).is_none());
    }
}
