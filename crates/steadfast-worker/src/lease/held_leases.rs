//! The leases that the worker holds: those with a task that is not settled.
//!
//! Every claimed task is settled exactly once, run or not, so a count per lease shows when the store
//! has deleted it.
//!
//! A lease that is not renewed in time expires, whether or not the store is reachable. So each lease
//! has a start by the monotonic clock: the instant before its request was sent, so that it never
//! counts as held longer here than in the store.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use steadfast_store::FencingToken;
use tokio::time::Instant;

use crate::sync::lock;

#[derive(Debug, Default)]
pub(crate) struct HeldLeases(Mutex<BTreeMap<FencingToken, Lease>>);

#[derive(Debug)]
struct Lease {
    tasks: usize,
    /// When it was last requested or renewed; `None` once it was reported as expired.
    renewed: Option<Instant>,
}

impl HeldLeases {
    fn all(&self) -> MutexGuard<'_, BTreeMap<FencingToken, Lease>> {
        lock(&self.0)
    }

    /// Adds a lease of this many tasks that was requested at this instant.
    pub(crate) fn insert(&self, token: FencingToken, tasks: usize, requested: Instant) {
        self.all().insert(token, Lease { tasks, renewed: Some(requested) });
    }

    /// Records that these leases were renewed by a request of this instant.
    pub(crate) fn renew(&self, tokens: impl IntoIterator<Item = FencingToken>, requested: Instant) {
        let mut all = self.all();
        for token in tokens {
            if let Some(lease) = all.get_mut(&token) {
                lease.renewed = Some(requested);
            }
        }
    }

    /// Records that one task under each of these was settled.
    pub(crate) fn settled(&self, tokens: impl IntoIterator<Item = FencingToken>) {
        let mut all = self.all();
        for token in tokens {
            let Some(lease) = all.get_mut(&token) else {
                continue;
            };
            lease.tasks = lease.tasks.saturating_sub(1);
            if lease.tasks == 0 {
                all.remove(&token);
            }
        }
    }

    pub(crate) fn tokens(&self) -> Vec<FencingToken> {
        self.all().keys().copied().collect()
    }

    /// When the first of them expires, if none is renewed.
    pub(crate) fn next_expiry(&self, duration: Duration) -> Option<Instant> {
        let first = self.all().values().filter_map(|lease| lease.renewed).min();
        first.and_then(|renewed| renewed.checked_add(duration))
    }

    /// The leases that have expired, each returned once.
    pub(crate) fn take_expired(&self, duration: Duration) -> Vec<FencingToken> {
        let mut all = self.all();
        let expired = all.iter_mut().filter_map(|(token, lease)| {
            lease.renewed.take_if(|renewed| renewed.elapsed() >= duration).map(|_| *token)
        });
        expired.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn lease_is_held_until_its_last_task_is_settled() {
        let leases = HeldLeases::default();
        leases.insert(FencingToken(1), 2, Instant::now());
        leases.insert(FencingToken(2), 1, Instant::now());
        leases.settled([FencingToken(1), FencingToken(2)]);
        assert_eq!(leases.tokens(), [FencingToken(1)]);
        leases.settled([FencingToken(1), FencingToken(7)]);
        assert_eq!(leases.tokens(), []);
    }

    /// D7: a lease that is not renewed for its duration expires, and is returned once.
    #[tokio::test(start_paused = true)]
    async fn lease_without_renewal_expires_once() {
        let leases = HeldLeases::default();
        let start = Instant::now();
        assert_eq!(leases.next_expiry(SECOND), None);
        leases.insert(FencingToken(1), 1, start);
        leases.insert(FencingToken(2), 1, start);
        tokio::time::advance(SECOND / 2).await;
        leases.renew([FencingToken(2), FencingToken(7)], Instant::now());
        assert_eq!(leases.next_expiry(SECOND), Some(start + SECOND));
        assert_eq!(leases.take_expired(SECOND), []);
        tokio::time::advance(SECOND / 2).await;
        assert_eq!(leases.take_expired(SECOND), [FencingToken(1)]);
        assert_eq!(leases.take_expired(SECOND), []);
        assert_eq!(leases.next_expiry(SECOND), Some(start + SECOND * 3 / 2));
        assert_eq!(
            leases.tokens(),
            [FencingToken(1), FencingToken(2)],
            "the store may still count it as held"
        );
    }
}
