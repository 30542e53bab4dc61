//! The worker's registration in the store, with its current load (H2).
//!
//! An idle worker has no lease by which it could be found in the store. So it reports itself
//! regularly, and deregisters when it stops. Nothing waits for these reports: one that fails is sent
//! again in the next round.

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::WorkerReport;
use tokio::time::{sleep, timeout};
use tracing::debug;

use super::LastReports;
use crate::state::WorkerState;

/// How often the load is checked for a change.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// How often an unchanged load is reported.
const REFRESH_INTERVAL: Duration = Duration::from_secs(15);
/// How long a stopping worker waits for its deregistration.
const DEREGISTER_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs until it is dropped.
pub(crate) async fn run(state: Arc<WorkerState>) {
    let mut last = LastReports::new(REFRESH_INTERVAL);
    let name = &state.config.name;
    loop {
        let running = state.running.count();
        if last.is_due(name, &running) && report(&state, running).await {
            last.record(name.as_str(), running);
        }
        sleep(CHECK_INTERVAL.mul_f64(0.8 + 0.4 * fastrand::f64())).await;
    }
}

async fn report(state: &WorkerState, running: usize) -> bool {
    let config = &state.config;
    let queues: Vec<_> = config.queues.iter().map(|(queue, _)| queue.clone()).collect();
    let report = WorkerReport {
        name: config.name.clone(),
        instance: Some(config.instance.clone()),
        seen_at: None,
        queues: (!queues.is_empty()).then_some(queues),
        concurrency: Some(config.concurrency),
        running: u32::try_from(running).ok(),
    };
    let reported = state.store.report_worker(&report).await;
    if let Err(error) = &reported {
        debug!(target: "steadfast", %error, "cannot register the worker");
    }
    reported.is_ok()
}

pub(crate) async fn deregister(state: &WorkerState) {
    let (name, instance) = (&state.config.name, &state.config.instance);
    // A registration that stays is pruned later.
    let _ = timeout(DEREGISTER_TIMEOUT, state.store.deregister_worker(name, Some(instance))).await;
}
