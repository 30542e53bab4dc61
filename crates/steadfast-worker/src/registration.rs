//! Saying that a worker is there, and how much it has to do (H2).
//!
//! A worker without a task is in no lease, and would be missed by nobody who looks at the store. So
//! it says now and then that it is there, and at its end that it is not. Nothing waits for this: it
//! is no part of the claim loop, and what the store does not take is said again in the next round.

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::WorkerReport;
use tokio::time::{Instant, sleep, timeout};
use tracing::debug;

use crate::shared::Shared;

/// How often is looked whether there is something to say.
const EVERY: Duration = Duration::from_secs(5);
/// How often it is said, if nothing has changed.
const SAY_AGAIN: Duration = Duration::from_secs(15);
/// How long a worker that ends waits until it has said so.
const FAREWELL: Duration = Duration::from_secs(1);

/// Goes on until it is dropped.
pub(crate) async fn run(shared: Arc<Shared>) {
    let mut said = None;
    loop {
        let running = shared.running.count();
        let is_old =
            |(before, at): (usize, Instant)| before != running || at.elapsed() >= SAY_AGAIN;
        if said.is_none_or(is_old) {
            said = say(&shared, running).await.then(|| (running, Instant::now()));
        }
        sleep(EVERY.mul_f64(0.8 + 0.4 * fastrand::f64())).await;
    }
}

async fn say(shared: &Shared, running: usize) -> bool {
    let settings = &shared.settings;
    let queues: Vec<_> = settings.queues.iter().map(|(queue, _)| queue.clone()).collect();
    let report = WorkerReport {
        name: settings.name.clone(),
        instance: Some(settings.instance.clone()),
        seen_at: None,
        queues: (!queues.is_empty()).then_some(queues),
        concurrency: Some(settings.concurrency),
        running: u32::try_from(running).ok(),
    };
    let said = shared.store.report_worker(&report).await;
    if let Err(error) = &said {
        debug!(target: "steadfast", %error, "the store does not know that this worker is there");
    }
    said.is_ok()
}

/// The worker ends, and nobody need wonder where it is.
pub(crate) async fn leave(shared: &Shared) {
    let (name, instance) = (&shared.settings.name, &shared.settings.instance);
    // If it is not heard, it will be silent for a while and then forgotten.
    let _ = timeout(FAREWELL, shared.store.forget_worker(name, Some(instance))).await;
}
