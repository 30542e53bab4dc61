//! Writing down what became of tasks.
//!
//! Runners hand in one settlement at a time, and a database takes a thousand as easily as one.
//! Nothing waits for others on purpose: an idle writer writes a single settlement at once, and
//! what comes in while it writes is its next batch. The harder the work, the bigger the batch.
//! A writer that cannot keep up, or whose store is away, lets the runners wait: what is in
//! memory has a bound.

use std::sync::Arc;

use steadfast::judge::{self, Rules};
use steadfast::{Class, extract};
use steadfast_store::{Settled, Settlement, Store, StoreError, Verdict};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::leases::Leases;
use crate::patience::Patience;

/// The biggest batch.
const BATCH: usize = 1000;

/// How many may wait to be written before runners have to.
pub(crate) const WAITING: usize = 2 * BATCH;

#[derive(Debug)]
pub(crate) struct Settler {
    pub(crate) store: Store,
    pub(crate) leases: Arc<Leases>,
    pub(crate) patience: Patience,
    /// No more settlements will come.
    pub(crate) ends: CancellationToken,
}

impl Settler {
    pub(crate) async fn run(self, mut inbox: mpsc::Receiver<Settlement>) {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                biased;
                count = inbox.recv_many(&mut batch, BATCH) => if count == 0 {
                    return;
                },
                () = self.ends.cancelled(), if !inbox.is_closed() => inbox.close(),
            }
            if batch.is_empty() {
                continue;
            }
            // Those who are about to hand theirs in are let in.
            tokio::task::yield_now().await;
            while batch.len() < BATCH
                && let Ok(another) = inbox.try_recv()
            {
                batch.push(another);
            }
            self.settle(&batch).await;
            batch.clear();
        }
    }

    async fn settle(&self, batch: &[Settlement]) {
        match self.write(batch).await {
            Some(Ok(())) => {}
            Some(Err(_)) if batch.len() > 1 => {
                // One of them cannot be written. The others must not suffer for it.
                for settlement in batch {
                    self.settle_alone(settlement).await;
                }
            }
            Some(Err(error)) => refused(batch, &error),
            None => abandoned(batch),
        }
        self.leases.settled(batch);
    }

    async fn settle_alone(&self, settlement: &Settlement) {
        let alone = std::slice::from_ref(settlement);
        match self.write(alone).await {
            Some(Ok(())) => {}
            Some(Err(error)) => refused(alone, &error),
            None => abandoned(alone),
        }
    }

    /// Writes a batch, however long that takes; nothing if it took longer than anybody waits.
    async fn write(&self, batch: &[Settlement]) -> Option<Result<(), StoreError>> {
        let write = || self.store.settle(batch.to_vec());
        let answer = self.patience.ask_while(may_pass, "settle tasks", write).await?;
        Some(answer.map(|answers| tell_stale(batch, &answers)))
    }
}

/// Whether the same batch may be taken later.
pub(crate) fn may_pass(error: &StoreError) -> bool {
    let by_its_facts = || judge::judge(&Rules::default(), &extract::failure(error)).class();
    error.is_passing() || by_its_facts() != Class::Final
}

fn tell_stale(batch: &[Settlement], answers: &[Settled]) {
    for (settlement, answer) in batch.iter().zip(answers) {
        let was_given_back = matches!(settlement.verdict, Verdict::Released);
        if *answer == Settled::Stale && !was_given_back {
            warn!(
                target: "steadfast",
                session = %settlement.id,
                version = settlement.version.0,
                "what became of a task was refused: it was cancelled, or its lease was lost and \
                 it belongs to another worker"
            );
        }
    }
}

fn refused(batch: &[Settlement], problem: &StoreError) {
    for settlement in batch {
        error!(
            target: "steadfast",
            session = %settlement.id,
            error = %problem,
            "the store does not take what became of a task: the task counts as lost when its \
             lease is over"
        );
    }
}

fn abandoned(batch: &[Settlement]) {
    warn!(
        target: "steadfast",
        count = batch.len(),
        "the store did not answer before the worker had to end: these tasks count as lost when \
         their leases are over"
    );
}
