//! Who has executions go on.
//!
//! Three loops, and all run the same function. One hears of each task that ends through this store,
//! and is quick. One looks at the tasks that ended since it looked before: it finds what a killed
//! process did not tell, what people called off and what other programs settled, however many
//! nodes wait for a later day; and when it begins it looks once at what ended while nobody served.
//! The third looks at all nodes that are tasks, a bounded slice at a time round and round, and is
//! slow and certain. Any number of processes may do all of them.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use steadfast::policy::Nested;
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{CompletionFeed, Result, TaskId};
use tokio::time::{Instant, sleep, timeout};
use tracing::warn;

use crate::flow::Flow;

/// How many nodes a sweep looks at before it takes a breath.
const SLICE: u32 = 1000;
const BREATH: Duration = Duration::from_secs(1);

/// How often it is looked for what nobody told of, where nobody says.
const SWEEP_EVERY: Duration = Duration::from_secs(5);

/// How far a look at what ended goes back behind the one before: what ends is written with the
/// time at which its transaction began.
const MARGIN: Duration = Duration::from_secs(10);

/// How long nobody may have served, so that what ended meanwhile is found at once.
const AWAY: Duration = Duration::from_secs(24 * 3600);

/// Who begins may begin together with his database. What is not found then is found in its turn.
const LOOK_BACK: Policy = Policy::exponential(Duration::from_secs(1))
    .max_attempts(10)
    .max_delay(Duration::from_secs(60))
    .jitter(Jitter::Equal)
    .nested(Nested::Both)
    .constant();

/// How long the last steps may take when it ends.
const LAST: Duration = Duration::from_secs(5);

impl Flow {
    /// Runs a worker, and has executions go on as its tasks end, until `shutdown` resolves and the
    /// worker has ended in order.
    ///
    /// # Errors
    /// The worker cannot be run as it was told.
    #[cfg(feature = "worker")]
    pub async fn serve(
        &self,
        worker: steadfast_worker::Worker,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let every = self.sweep_every.unwrap_or(worker.reclaims_every());
        let (running, ended) = tokio::sync::oneshot::channel::<()>();
        let work = async {
            let worked = worker.run_until(shutdown).await;
            drop(running);
            worked
        };
        let flow = self.run(every, async { drop(ended.await) });
        tokio::join!(work, flow).0
    }

    /// Has executions go on until `shutdown` resolves, beside workers that are run elsewhere.
    pub async fn run_until(&self, shutdown: impl Future<Output = ()>) {
        self.run(self.sweep_every.unwrap_or(SWEEP_EVERY), shutdown).await;
    }

    async fn run(&self, every: Duration, shutdown: impl Future<Output = ()>) {
        let sweep = async {
            tokio::join!(self.look_back(), self.look_at_ends(every), self.go_round(every))
        };
        // Before the first look: what ends between the two would be neither seen nor heard.
        let ends = self.store.listen_to_ends();
        tokio::select! {
            () = self.follow(ends, shutdown) => {}
            _ = sweep => {}
        }
    }

    /// What was heard of when it ends is still gone on with.
    async fn follow(&self, mut ends: CompletionFeed, shutdown: impl Future<Output = ()>) {
        let mut shutdown = pin!(shutdown);
        loop {
            let ended = tokio::select! {
                ended = ends.next() => ended,
                () = &mut shutdown => break,
            };
            let mut advance = pin!(self.advance_after(&ended));
            tokio::select! {
                () = &mut advance => {}
                () = &mut shutdown => {
                    let last = async {
                        advance.await;
                        self.advance_after(&ends.so_far()).await;
                    };
                    return at_last(last).await;
                }
            }
        }
        at_last(self.advance_after(&ends.so_far())).await;
    }

    /// Looks for what ended while nobody served.
    async fn look_back(&self) {
        loop {
            match retry(&LOOK_BACK, || self.look_for_ends(AWAY)).await {
                Ok(true) => return,
                Ok(false) => sleep(uneven(BREATH)).await,
                Err(error) => {
                    warn!(target: "steadfast", %error, "what ended earlier is found in its turn");
                    return;
                }
            }
        }
    }

    async fn look_at_ends(&self, every: Duration) {
        let mut from = Instant::now();
        loop {
            let began = Instant::now();
            let pause = match self.look_for_ends(from.elapsed() + MARGIN).await {
                Ok(true) => {
                    from = began;
                    every
                }
                Ok(false) => every.min(BREATH),
                Err(error) => {
                    warn!(target: "steadfast", %error, "tasks that ended were not looked at");
                    every
                }
            };
            sleep(uneven(pause)).await;
        }
    }

    /// Looks for nodes whose tasks have ended in the last so long. Whether that was all of them.
    async fn look_for_ends(&self, within: Duration) -> Result<bool> {
        let ended = self.store.executions_ended_within(within, SLICE).await?;
        self.advance_all(&ended.executions).await;
        Ok(ended.is_all)
    }

    async fn go_round(&self, every: Duration) {
        let mut after = None;
        loop {
            after = self.look_for_strays(after).await;
            let pause = if after.is_some() { BREATH } else { every };
            sleep(uneven(pause)).await;
        }
    }

    /// Looks at a slice. Answers where the next one begins, if there is one.
    pub(crate) async fn look_for_strays(&self, after: Option<TaskId>) -> Option<TaskId> {
        match self.store.stray_executions(after, SLICE).await {
            Ok(strays) => {
                self.advance_all(&strays.executions).await;
                strays.next
            }
            Err(error) => {
                warn!(target: "steadfast", %error, "executions were not looked at");
                None
            }
        }
    }
}

/// What is still to be done when it ends, as far as there is time.
async fn at_last(last: impl Future<Output = ()>) {
    if timeout(LAST, last).await.is_err() {
        warn!(target: "steadfast", "executions are left for another process to go on with");
    }
}

/// Nearly so long, so that processes do not look at the same moment.
fn uneven(pause: Duration) -> Duration {
    pause.mul_f64(0.8 + 0.4 * fastrand::f64())
}
