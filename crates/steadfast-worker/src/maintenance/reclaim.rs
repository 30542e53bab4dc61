//! Reclaims the tasks of lost workers, whose leases have expired (D7).
//!
//! The leases of a killed worker expire. The worker that reclaims them settles their tasks as failed:
//! the loss counts as an attempt with a `worker_lost` fault, so a task that kills its worker fails in
//! the end and does not kill the next one forever. Whether such a task has taken effect is unknown, so
//! it is only retried if that is safe (J9).

use std::sync::Arc;

use jiff::Timestamp;
use steadfast::guard;
use steadfast_store::{
    Claimed, FailureContext, GuardEnv, Settled, worker_lost, worker_lost_judgement,
};
use tracing::warn;

use super::next_round;
use crate::settle::TaskResult;
use crate::state::WorkerState;

const BATCH_SIZE: u32 = 100;

pub(super) async fn run(state: Arc<WorkerState>) {
    while next_round(&state, state.config.reclaim_interval()).await {
        // A batch may hold only a part of the expired leases: only an empty one is the last.
        while reclaim(&state).await.is_some_and(|count| count > 0) {}
    }
}

/// Reclaims and settles one batch. Returns its size, or `None` if the worker stops.
async fn reclaim(state: &WorkerState) -> Option<usize> {
    let WorkerState { store, config, store_retry, .. } = state;
    let reclaim_expired = || store.reclaim_expired(&config.name, BATCH_SIZE);
    let lost = store_retry.call("reclaim expired leases", reclaim_expired).await?;
    if lost.is_empty() {
        return Some(0);
    }
    let now = store_retry.call("read the time", || store.now()).await?;
    let results: Vec<_> =
        lost.iter().map(|(claimed, owner)| lost_result(claimed, owner, now)).collect();
    let settlements = || results.iter().map(|one| one.settlement.clone()).collect();
    let settle = || store.settle(settlements());
    match store_retry.call_retryable("settle lost tasks", settle).await? {
        Ok(answers) => report(state, &lost, results, &answers, now),
        // They are reclaimed again when this lease expires; other tasks do not wait for them.
        Err(error) => {
            let tasks = lost.len();
            warn!(target: "steadfast", %error, tasks, "cannot settle reclaimed tasks");
        }
    }
    Some(lost.len())
}

fn report(
    state: &WorkerState,
    lost: &[(Claimed, String)],
    results: Vec<TaskResult>,
    answers: &[Settled],
    now: Timestamp,
) {
    for (((claimed, owner), one), answer) in lost.iter().zip(results).zip(answers) {
        if *answer == Settled::Accepted {
            claimed.count_lost_lease();
            state.events.send(claimed.lease_lost(owner, now));
            one.event.into_iter().for_each(|event| state.events.send(*event));
        }
    }
}

fn lost_result(claimed: &Claimed, owner: &str, now: Timestamp) -> TaskResult {
    // Whether the handler sent its key is unknown. An explicit idempotency key is taken as the
    // submitter's statement that it does. A task runs at least once: only a policy that says
    // `idempotent: false` keeps it from running again.
    let key_in_use = claimed.idempotency_key.is_some();
    let verdict = claimed.failed_as(
        worker_lost(owner),
        worker_lost_judgement(),
        FailureContext { key_in_use, ..FailureContext::at(now) },
        &mut GuardEnv(&mut guard::for_policy(&claimed.policy)),
    );
    TaskResult::new(claimed, verdict, || now)
}
