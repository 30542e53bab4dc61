//! Keeping leases alive (D7), and hearing what is no longer this worker's.
//!
//! One call for all leases. Its answer is how a worker learns of what nobody could tell it: that
//! a lease was taken over while it could not reach the store, or that a task was cancelled by a
//! process that has no way to wake this one.
//!
//! Without an answer it learns nothing, and goes by its own clock: what was not renewed for a whole
//! lease may be another's by now, and is stopped here.

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{FencingToken, StoreError, TaskId};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::warn;

use crate::shared::Shared;
use crate::store_retry::Patience;

/// How often, at least: a cancelled task is heard of within this.
const SELDOM: Duration = Duration::from_secs(15);

/// How long an answer is waited for, at most, before the store is asked anew.
const ANSWER: Duration = Duration::from_secs(15);

pub(crate) struct Heartbeat {
    pub(crate) shared: Arc<Shared>,
    /// A worker that stops keeps its leases until the last task is settled.
    pub(crate) patience: Patience,
}

impl Heartbeat {
    /// Goes on until it is dropped.
    pub(crate) async fn run(self) {
        let every = (self.shared.settings.lease / 3).min(SELDOM);
        loop {
            sleep(every.mul_f64(0.9 + 0.1 * fastrand::f64())).await;
            self.beat().await;
        }
    }

    async fn beat(&self) {
        let Shared { store, settings, leases, prefetch, running, .. } = &*self.shared;
        // First the tasks: one that is claimed meanwhile must not be asked for without its lease.
        let tasks = [running.list(), prefetch.list()].concat();
        let held = leases.held();
        if held.is_empty() {
            return;
        }
        let ids: Vec<_> = tasks.iter().map(|(id, _)| *id).collect();
        // A server that is gone without a word must not take the leases with it.
        let patience = (settings.lease / 3).min(ANSWER);
        let beat = || async {
            let asked = Instant::now();
            let kept = timeout(patience, store.heartbeat(&held, &ids, settings.lease)).await;
            kept.unwrap_or_else(|_| Err(StoreError::no_answer())).map(|answer| (answer, asked))
        };
        let Some((answer, asked)) = self.waits_for(self.patience.ask("keep leases", beat)).await
        else {
            return;
        };
        let is_lost = |version: FencingToken| answer.lost.contains(&version);
        leases.renew(held.iter().copied().filter(|version| !is_lost(*version)), asked);
        self.tell_lost(is_lost);
        self.drop_tasks(|id, version| {
            is_lost(version) || (answer.ended.contains(&id) && tasks.contains(&(id, version)))
        })
        .await;
    }

    /// Waits for an answer, and stops what is over meanwhile.
    async fn waits_for<T>(&self, answer: impl Future<Output = T>) -> T {
        let mut answer = std::pin::pin!(answer);
        loop {
            let first_over = async {
                match self.shared.leases.first_over(self.shared.settings.lease) {
                    Some(over) => sleep_until(over).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                answer = &mut answer => return answer,
                () = first_over => self.stop_what_is_over().await,
            }
        }
    }

    async fn stop_what_is_over(&self) {
        let over = self.shared.leases.over(self.shared.settings.lease);
        warn!(
            target: "steadfast",
            leases = over.len(),
            "leases could not be renewed in time: their tasks may be another worker's by now, and \
             are stopped here"
        );
        self.drop_tasks(|_, version| over.contains(&version)).await;
    }

    /// A lease whose last task was settled in this moment is gone, but nothing is lost.
    fn tell_lost(&self, is_lost: impl Fn(FencingToken) -> bool) {
        let tasks = [self.shared.running.list(), self.shared.prefetch.list()].concat();
        let count = tasks.iter().filter(|(_, version)| is_lost(*version)).count();
        if count > 0 {
            warn!(
                target: "steadfast",
                count,
                "leases were lost: their tasks belong to another worker, and are stopped here"
            );
        }
    }

    async fn drop_tasks(&self, which: impl Fn(TaskId, FencingToken) -> bool) {
        self.shared.running.call_off(&which);
        let waiting = self.shared.prefetch.remove(which);
        self.shared.release(waiting).await;
    }
}
