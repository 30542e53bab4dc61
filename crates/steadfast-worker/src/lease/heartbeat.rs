//! The heartbeat, which renews the worker's leases (D7).
//!
//! One call renews all leases. Its answer also names the leases that were reclaimed while the store
//! was unreachable, and the tasks that were cancelled by a process that could not notify this one.
//!
//! Without an answer the worker relies on its own clock: the tasks of a lease that was not renewed for
//! its whole duration may belong to another worker, and are cancelled here.

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{FencingToken, StoreError};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::warn;

use crate::state::WorkerState;

/// The longest time between heartbeats, and so until a cancellation is noticed.
const MAX_HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

/// The longest wait for an answer before the heartbeat is sent again.
const MAX_HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(15);

pub(crate) struct Heartbeat(pub(crate) Arc<WorkerState>);

impl Heartbeat {
    /// Runs until it is dropped.
    pub(crate) async fn run(self) {
        let interval = (self.0.config.lease / 3).min(MAX_HEARTBEAT_INTERVAL);
        loop {
            sleep(interval.mul_f64(0.9 + 0.1 * fastrand::f64())).await;
            self.beat().await;
        }
    }

    async fn beat(&self) {
        let WorkerState { store, config, leases, prefetch, running, .. } = &*self.0;
        // Tasks before leases: a task claimed in between must not be listed without its lease.
        let tasks = [running.list(), prefetch.list()].concat();
        let tokens = leases.tokens();
        if tokens.is_empty() {
            return;
        }
        let ids: Vec<_> = tasks.iter().map(|(id, _)| *id).collect();
        // A server that hangs must not let the leases expire.
        let answer_timeout = (config.lease / 3).min(MAX_HEARTBEAT_TIMEOUT);
        let beat = || async {
            let requested = Instant::now();
            let beat = store.heartbeat(&tokens, &ids, config.lease);
            let answer = timeout(answer_timeout, beat).await;
            answer.unwrap_or_else(|_| Err(StoreError::timed_out())).map(|it| (it, requested))
        };
        let beat = self.0.final_retry.call("renew leases", beat);
        let Some((answer, requested)) = self.await_and_expire(beat).await else {
            return;
        };
        let is_lost = |token: FencingToken| answer.lost.contains(&token);
        leases.renew(tokens.iter().copied().filter(|token| !is_lost(*token)), requested);
        self.log_lost(is_lost);
        let is_ended = |id, token| answer.ended.contains(&id) && tasks.contains(&(id, token));
        self.0.cancel_tasks(|id, token| is_lost(token) || is_ended(id, token)).await;
    }

    /// Awaits an answer, and cancels the tasks of leases that expire meanwhile.
    async fn await_and_expire<T>(&self, answer: impl Future<Output = T>) -> T {
        let mut answer = std::pin::pin!(answer);
        loop {
            let next_expiry = async {
                match self.0.leases.next_expiry(self.0.config.lease) {
                    Some(expiry) => sleep_until(expiry).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                answer = &mut answer => return answer,
                () = next_expiry => self.cancel_expired().await,
            }
        }
    }

    async fn cancel_expired(&self) {
        let expired = self.0.leases.take_expired(self.0.config.lease);
        warn!(
            target: "steadfast",
            leases = expired.len(),
            "leases expired before they could be renewed: cancelling their tasks, which may belong \
             to another worker"
        );
        self.0.cancel_tasks(|_, token| expired.contains(&token)).await;
    }

    /// Logs lost tasks. A lease whose last task was just settled is gone without a loss.
    fn log_lost(&self, is_lost: impl Fn(FencingToken) -> bool) {
        let tasks = [self.0.running.list(), self.0.prefetch.list()].concat();
        let count = tasks.iter().filter(|(_, token)| is_lost(*token)).count();
        if count > 0 {
            warn!(
                target: "steadfast",
                count,
                "leases were reclaimed: cancelling their tasks, which belong to another worker"
            );
        }
    }
}
