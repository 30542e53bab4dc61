//! Settling: task results, and the loop that writes them to the store in batches.
//!
//! Runners queue one settlement at a time, and a database writes a thousand as easily as one. The
//! loop does not wait for a batch to fill: when idle it writes a single settlement at once, and what
//! arrives while it writes is its next batch. When it cannot keep up, or the store is unreachable,
//! runners wait for space in the bounded queue.

use std::sync::Arc;

use jiff::Timestamp;
use steadfast::observe::Event;
use steadfast_store::{Claimed, Settled, Settlement, StoreError, Verdict};
use tokio::sync::mpsc;
use tracing::{error, warn};

use crate::state::WorkerState;

const MAX_BATCH: usize = 1000;

/// How many results can wait to be written before runners have to wait.
pub(crate) const SETTLE_QUEUE_CAPACITY: usize = 2 * MAX_BATCH;

/// The result of a task.
#[derive(Clone, Debug)]
pub(crate) struct TaskResult {
    pub(crate) settlement: Settlement,
    /// Reported once the store has accepted the settlement, since a stale worker's result is void.
    pub(crate) event: Option<Box<Event>>,
}

impl TaskResult {
    /// A verdict that is logged, counted and reported as an event.
    pub(crate) fn new(
        claimed: &Claimed,
        verdict: Verdict,
        now: impl FnOnce() -> Timestamp,
    ) -> Self {
        let event = claimed.report(&verdict, now()).map(Box::new);
        Self { event, ..Self::without_event(claimed, verdict) }
    }

    /// A verdict that is neither logged nor reported.
    pub(crate) const fn without_event(claimed: &Claimed, verdict: Verdict) -> Self {
        let (id, fencing_token) = (claimed.id, claimed.fencing_token);
        Self { settlement: Settlement { id, fencing_token, verdict }, event: None }
    }
}

/// Settles results until [`WorkerState::results_closed`] and the queue is empty.
pub(crate) async fn run(state: Arc<WorkerState>, mut results: mpsc::Receiver<TaskResult>) {
    let mut batch = Vec::with_capacity(MAX_BATCH);
    while next_batch(&state, &mut results, &mut batch).await {
        if !settle(&state, &batch).await {
            // One of them cannot be written; the others must not be lost with it.
            for single in batch.chunks(1) {
                settle(&state, single).await;
            }
        }
        state.leases.settled(batch.iter().map(|one| one.settlement.fencing_token));
    }
}

/// Receives the next batch; `false` when no more will come.
async fn next_batch(
    state: &WorkerState,
    results: &mut mpsc::Receiver<TaskResult>,
    batch: &mut Vec<TaskResult>,
) -> bool {
    batch.clear();
    while batch.is_empty() {
        tokio::select! {
            biased;
            count = results.recv_many(batch, MAX_BATCH) => if count == 0 {
                return false;
            },
            () = state.results_closed.cancelled(), if !results.is_closed() => results.close(),
        }
    }
    // Lets runners that are about to send join this batch.
    tokio::task::yield_now().await;
    while batch.len() < MAX_BATCH
        && let Ok(result) = results.try_recv()
    {
        batch.push(result);
    }
    true
}

/// Writes a batch, however long that takes; `false` if its results have to be written one by one.
async fn settle(state: &WorkerState, batch: &[TaskResult]) -> bool {
    let settlements = || batch.iter().map(|one| one.settlement.clone()).collect();
    let write = || state.store.settle(settlements());
    match state.final_retry.call_retryable("settle tasks", write).await {
        Some(Ok(answers)) => report(state, batch, &answers),
        Some(Err(_)) if batch.len() > 1 => return false,
        Some(Err(error)) => log_rejected(batch, &error),
        None => log_abandoned(batch),
    }
    true
}

fn report(state: &WorkerState, batch: &[TaskResult], answers: &[Settled]) {
    for (one, answer) in batch.iter().zip(answers) {
        match (answer, &one.event) {
            (Settled::Stale, _) => log_stale(&one.settlement),
            (_, Some(event)) => state.events.send(Event::clone(event)),
            _ => {}
        }
    }
}

fn log_stale(settlement: &Settlement) {
    // A released task has no result to lose.
    if matches!(settlement.verdict, Verdict::Released) {
        return;
    }
    warn!(
        target: "steadfast",
        session = %settlement.id,
        version = settlement.fencing_token.0,
        "settlement rejected: the task was cancelled, or its lease expired and another worker has it"
    );
}

fn log_rejected(batch: &[TaskResult], problem: &StoreError) {
    for TaskResult { settlement, .. } in batch {
        error!(
            target: "steadfast",
            session = %settlement.id,
            error = %problem,
            "settlement failed: the task is reclaimed when its lease expires"
        );
    }
}

fn log_abandoned(batch: &[TaskResult]) {
    warn!(
        target: "steadfast",
        count = batch.len(),
        "store unreachable during shutdown: these tasks are reclaimed when their leases expire"
    );
}
