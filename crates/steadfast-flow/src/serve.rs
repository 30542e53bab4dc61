//! Who has executions go on.
//!
//! Two loops, and both run the same function. One hears of each task that ends through this store,
//! and is quick. The other looks at the nodes that are tasks, a bounded slice at a time round and
//! round, and is certain: it finds what a killed process did not tell, what people called off and
//! what other programs settled. Any number of processes may do both.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use steadfast_store::TaskId;
use tokio::time::{sleep, timeout};
use tracing::warn;

use crate::flow::Flow;

/// How many nodes a sweep looks at before it takes a breath.
const SLICE: u32 = 1000;
const BREATH: Duration = Duration::from_millis(100);

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
    ) -> steadfast_store::Result<()> {
        let (running, ended) = tokio::sync::oneshot::channel::<()>();
        let work = async {
            let worked = worker.run_until(shutdown).await;
            drop(running);
            worked
        };
        let flow = self.run_until(async { drop(ended.await) });
        tokio::join!(work, flow).0
    }

    /// Has executions go on until `shutdown` resolves, beside workers that are run elsewhere.
    pub async fn run_until(&self, shutdown: impl Future<Output = ()>) {
        tokio::select! {
            () = self.follow(shutdown) => {}
            () = self.sweep() => {}
        }
    }

    /// What was heard of when it ends is still gone on with.
    async fn follow(&self, shutdown: impl Future<Output = ()>) {
        let mut ends = self.store.listen_to_ends();
        let mut shutdown = pin!(shutdown);
        loop {
            let ended = tokio::select! {
                ended = ends.next() => ended,
                () = &mut shutdown => break,
            };
            self.advance_after(&ended).await;
        }
        let last = ends.so_far();
        if timeout(LAST, self.advance_after(&last)).await.is_err() {
            warn!(target: "steadfast", "executions are left for another process to go on with");
        }
    }

    async fn sweep(&self) {
        let mut after = None;
        loop {
            after = self.look_for_strays(after).await;
            let pause = if after.is_some() { BREATH } else { self.sweep_every };
            sleep(pause.mul_f64(0.8 + 0.4 * fastrand::f64())).await;
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
