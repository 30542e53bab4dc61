//! The loops that advance executions.
//!
//! All three run the same function. The first receives each task that ends through this store, and is
//! fast. The second reads the tasks that ended since its last round: it finds completions that a
//! killed process did not publish, cancelled tasks, and tasks that other programs settled, however
//! many nodes are scheduled for later; at its start it reads what ended while no process was serving.
//! The third scans all submitted nodes, a bounded slice at a time, and is slow and complete. Any
//! number of processes may run all of them.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use steadfast::policy::Nested;
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{CompletionFeed, Result, TaskId};
use tokio::time::{Instant, sleep, timeout};
use tracing::warn;

use crate::flow::Flow;

/// How many nodes a sweep reads at once, and its pause between two slices.
const SWEEP_SLICE: u32 = 1000;
const SLICE_PAUSE: Duration = Duration::from_secs(1);

const DEFAULT_SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The overlap of two rounds over finished tasks: a task's end is recorded with the time at which its
/// transaction began.
const ROUND_OVERLAP: Duration = Duration::from_secs(10);

/// The longest time without a serving process after which missed completions are found at once.
const CATCH_UP_WINDOW: Duration = Duration::from_secs(24 * 3600);

/// The process may start together with its database. What is not found at the start is found by the
/// full sweep.
const CATCH_UP_RETRY: Policy = Policy::exponential(Duration::from_secs(1))
    .max_attempts(10)
    .max_delay(Duration::from_secs(60))
    .jitter(Jitter::Equal)
    .nested(Nested::Both)
    .constant();

/// How long the last steps may take on shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

impl Flow {
    /// Runs a worker, and advances executions as its tasks end, until `shutdown` resolves and the
    /// worker has shut down.
    ///
    /// # Errors
    /// The worker's configuration is invalid.
    #[cfg(feature = "worker")]
    pub async fn serve(
        &self,
        worker: steadfast_worker::Worker,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let interval = self.sweep_every.unwrap_or(worker.reclaim_interval());
        let (running, ended) = tokio::sync::oneshot::channel::<()>();
        let work = async {
            let worked = worker.run_until(shutdown).await;
            drop(running);
            worked
        };
        let flow = self.run(interval, async { drop(ended.await) });
        tokio::join!(work, flow).0
    }

    /// Advances executions until `shutdown` resolves, beside workers that run elsewhere.
    pub async fn run_until(&self, shutdown: impl Future<Output = ()>) {
        self.run(self.sweep_every.unwrap_or(DEFAULT_SWEEP_INTERVAL), shutdown).await;
    }

    async fn run(&self, interval: Duration, shutdown: impl Future<Output = ()>) {
        let sweep = async {
            tokio::join!(
                self.catch_up(),
                self.sweep_completions(interval),
                self.sweep_nodes(interval)
            )
        };
        // Before the first sweep: a task that ends between the two would be missed by both.
        let completions = self.store.subscribe_completions();
        tokio::select! {
            () = self.follow(completions, shutdown) => {}
            _ = sweep => {}
        }
    }

    /// Advances executions as their tasks end. Completions received before shutdown are processed.
    async fn follow(&self, mut completions: CompletionFeed, shutdown: impl Future<Output = ()>) {
        let mut shutdown = pin!(shutdown);
        loop {
            let ended = tokio::select! {
                ended = completions.next() => ended,
                () = &mut shutdown => break,
            };
            let mut advance = pin!(self.advance_after(&ended));
            tokio::select! {
                () = &mut advance => {}
                () = &mut shutdown => {
                    let last = async {
                        advance.await;
                        self.advance_after(&completions.drain()).await;
                    };
                    return before_shutdown_timeout(last).await;
                }
            }
        }
        before_shutdown_timeout(self.advance_after(&completions.drain())).await;
    }

    /// Finds the tasks that ended while no process was serving.
    async fn catch_up(&self) {
        loop {
            match retry(&CATCH_UP_RETRY, || self.sweep_ended_within(CATCH_UP_WINDOW)).await {
                Ok(true) => return,
                Ok(false) => sleep(jittered(SLICE_PAUSE)).await,
                Err(error) => {
                    warn!(
                        target: "steadfast", %error,
                        "cannot read earlier completions: leaving them to the full sweep"
                    );
                    return;
                }
            }
        }
    }

    async fn sweep_completions(&self, interval: Duration) {
        let mut last_round = Instant::now();
        loop {
            let started = Instant::now();
            let window = last_round.elapsed() + ROUND_OVERLAP;
            let pause = match self.sweep_ended_within(window).await {
                Ok(true) => {
                    last_round = started;
                    interval
                }
                Ok(false) => interval.min(SLICE_PAUSE),
                Err(error) => {
                    warn!(target: "steadfast", %error, "cannot read completed tasks");
                    interval
                }
            };
            sleep(jittered(pause)).await;
        }
    }

    /// Advances the executions whose tasks ended within this time. Returns whether these were all.
    async fn sweep_ended_within(&self, within: Duration) -> Result<bool> {
        let ended = self.store.missed_completions(within, SWEEP_SLICE).await?;
        self.advance_all(&ended.executions).await;
        Ok(ended.is_all)
    }

    async fn sweep_nodes(&self, interval: Duration) {
        let mut after = None;
        loop {
            after = self.sweep_slice(after).await;
            let pause = if after.is_some() { SLICE_PAUSE } else { interval };
            sleep(jittered(pause)).await;
        }
    }

    /// Advances a slice of executions with orphaned nodes. Returns the start of the next slice.
    async fn sweep_slice(&self, after: Option<TaskId>) -> Option<TaskId> {
        match self.store.orphaned_nodes(after, SWEEP_SLICE).await {
            Ok(orphaned) => {
                self.advance_all(&orphaned.executions).await;
                orphaned.next
            }
            Err(error) => {
                warn!(target: "steadfast", %error, "cannot sweep executions");
                None
            }
        }
    }
}

async fn before_shutdown_timeout(last: impl Future<Output = ()>) {
    if timeout(SHUTDOWN_TIMEOUT, last).await.is_err() {
        warn!(target: "steadfast", "shutdown timeout: another process has to advance executions");
    }
}

/// Adds jitter, so that processes do not sweep at the same moment.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.8 + 0.4 * fastrand::f64())
}
