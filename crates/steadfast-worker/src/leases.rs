//! Which leases are kept alive: those with a task that has not been settled.
//!
//! Every task that was claimed is settled exactly once, run or not, so a count for each lease
//! tells when the store has forgotten it.
//!
//! A lease is over when it was not renewed in time, whether or not the store can be asked. So it is
//! known here since when each holds, by a clock that only measures: from before the store was asked
//! for it, and so never longer than the store holds it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use steadfast_store::FencingToken;
use tokio::time::Instant;

#[derive(Debug, Default)]
pub(crate) struct Leases(Mutex<BTreeMap<FencingToken, Held>>);

#[derive(Debug)]
struct Held {
    tasks: usize,
    /// Nothing if it is over, and that was told.
    since: Option<Instant>,
}

impl Leases {
    fn all(&self) -> MutexGuard<'_, BTreeMap<FencingToken, Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many tasks are held under this one, which was asked for at this moment.
    pub(crate) fn hold(&self, version: FencingToken, tasks: usize, asked: Instant) {
        self.all().insert(version, Held { tasks, since: Some(asked) });
    }

    /// These were renewed, which was asked for at this moment.
    pub(crate) fn renew(&self, versions: impl IntoIterator<Item = FencingToken>, asked: Instant) {
        let mut all = self.all();
        for version in versions {
            if let Some(held) = all.get_mut(&version) {
                held.since = Some(asked);
            }
        }
    }

    /// A task under each of these was settled.
    pub(crate) fn settled(&self, versions: impl IntoIterator<Item = FencingToken>) {
        let mut all = self.all();
        for version in versions {
            let Some(held) = all.get_mut(&version) else {
                continue;
            };
            held.tasks = held.tasks.saturating_sub(1);
            if held.tasks == 0 {
                all.remove(&version);
            }
        }
    }

    /// All that are held.
    pub(crate) fn held(&self) -> Vec<FencingToken> {
        self.all().keys().copied().collect()
    }

    /// When the first of them is over, if none is renewed.
    pub(crate) fn first_over(&self, lease: Duration) -> Option<Instant> {
        let first = self.all().values().filter_map(|held| held.since).min();
        first.and_then(|since| since.checked_add(lease))
    }

    /// Those that are over by now, each told once.
    pub(crate) fn over(&self, lease: Duration) -> Vec<FencingToken> {
        let mut all = self.all();
        let over = all.iter_mut().filter_map(|(version, held)| {
            held.since.take_if(|since| since.elapsed() >= lease).map(|_| *version)
        });
        over.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_lease_is_kept_until_its_last_task_is_settled() {
        let leases = Leases::default();
        leases.hold(FencingToken(1), 2, Instant::now());
        leases.hold(FencingToken(2), 1, Instant::now());
        leases.settled([FencingToken(1), FencingToken(2)]);
        assert_eq!(leases.held(), [FencingToken(1)]);
        leases.settled([FencingToken(1), FencingToken(7)]);
        assert_eq!(leases.held(), []);
    }

    /// D7: one that was not renewed for as long as it lasts is over, and that is told once.
    #[tokio::test(start_paused = true)]
    async fn a_lease_that_is_not_renewed_is_over() {
        let leases = Leases::default();
        let began = Instant::now();
        assert_eq!(leases.first_over(SECOND), None);
        leases.hold(FencingToken(1), 1, began);
        leases.hold(FencingToken(2), 1, began);
        tokio::time::advance(SECOND / 2).await;
        leases.renew([FencingToken(2), FencingToken(7)], Instant::now());
        assert_eq!(leases.first_over(SECOND), Some(began + SECOND));
        assert_eq!(leases.over(SECOND), []);
        tokio::time::advance(SECOND / 2).await;
        assert_eq!(leases.over(SECOND), [FencingToken(1)]);
        assert_eq!(leases.over(SECOND), []);
        assert_eq!(leases.first_over(SECOND), Some(began + SECOND * 3 / 2));
        assert_eq!(
            leases.held(),
            [FencingToken(1), FencingToken(2)],
            "it may be the worker's all the same"
        );
    }
}
