//! The settler, which writes task results to the store in batches.
//!
//! Runners queue one settlement at a time, and a database writes a thousand as easily as one. The
//! settler does not wait for a batch to fill: when idle it writes a single settlement at once, and
//! what arrives while it writes is its next batch. When it cannot keep up, or the store is
//! unreachable, runners wait for space in the bounded queue.

use std::sync::Arc;

use steadfast::observe::Event;
use steadfast_store::{Settled, Settlement, Store, StoreError, Verdict};
use tracing::{error, warn};

use crate::batch_receiver::BatchReceiver;
use crate::lease::HeldLeases;
use crate::report::EventQueue;
use crate::settle::TaskResult;
use crate::store_retry::StoreRetry;

const MAX_BATCH: usize = 1000;

/// How many results can wait to be written before runners have to wait.
pub(crate) const SETTLE_QUEUE_CAPACITY: usize = 2 * MAX_BATCH;

#[derive(Debug)]
pub(crate) struct Settler {
    pub(crate) store: Store,
    pub(crate) leases: Arc<HeldLeases>,
    pub(crate) store_retry: StoreRetry,
    pub(crate) events: EventQueue,
}

impl Settler {
    pub(crate) async fn run(self, mut results: BatchReceiver<TaskResult>) {
        let mut batch = Vec::with_capacity(MAX_BATCH);
        while results.next_batch(&mut batch, MAX_BATCH).await {
            self.settle(&batch).await;
        }
    }

    async fn settle(&self, batch: &[TaskResult]) {
        match self.write(batch).await {
            Some(Ok(())) => {}
            Some(Err(_)) if batch.len() > 1 => {
                // One of them cannot be written; the others must not be lost with it.
                for single in batch.chunks(1) {
                    self.settle_single(single).await;
                }
            }
            Some(Err(error)) => log_rejected(batch, &error),
            None => log_abandoned(batch),
        }
        self.leases.settled(batch.iter().map(|one| one.settlement.fencing_token));
    }

    async fn settle_single(&self, single: &[TaskResult]) {
        match self.write(single).await {
            Some(Ok(())) => {}
            Some(Err(error)) => log_rejected(single, &error),
            None => log_abandoned(single),
        }
    }

    /// Writes a batch, however long that takes; `None` if the worker gave up waiting.
    async fn write(&self, batch: &[TaskResult]) -> Option<Result<(), StoreError>> {
        let settlements = || batch.iter().map(|one| one.settlement.clone()).collect();
        let write = || self.store.settle(settlements());
        let answer =
            self.store_retry.call_while(StoreError::is_retryable, "settle tasks", write).await?;
        Some(answer.map(|answers| self.report(batch, &answers)))
    }

    fn report(&self, batch: &[TaskResult], answers: &[Settled]) {
        for (one, answer) in batch.iter().zip(answers) {
            match (answer, &one.event) {
                (Settled::Stale, _) => log_stale(&one.settlement),
                (_, Some(event)) => self.events.send(Event::clone(event)),
                _ => {}
            }
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
