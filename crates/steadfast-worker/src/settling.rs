//! Writing down what became of tasks.
//!
//! Runners hand in one settlement at a time, and a database takes a thousand as easily as one.
//! Nothing waits for others on purpose: an idle writer writes a single settlement at once, and
//! what comes in while it writes is its next batch. The harder the work, the bigger the batch.
//! A writer that cannot keep up, or whose store is away, lets the runners wait: what is in
//! memory has a bound.

use std::sync::Arc;

use steadfast::observe::Event;
use steadfast_store::{Settled, Settlement, Store, StoreError, Verdict};
use tracing::{error, warn};

use crate::inbox::Inbox;
use crate::leases::Leases;
use crate::reporting::Reports;
use crate::store_retry::Patience;
use crate::task_result::HandedIn;

/// The biggest batch.
const BATCH: usize = 1000;

/// How many may wait to be written before runners have to.
pub(crate) const WAITING: usize = 2 * BATCH;

#[derive(Debug)]
pub(crate) struct Settler {
    pub(crate) store: Store,
    pub(crate) leases: Arc<Leases>,
    pub(crate) patience: Patience,
    pub(crate) reports: Reports,
}

impl Settler {
    pub(crate) async fn run(self, mut inbox: Inbox<HandedIn>) {
        let mut batch = Vec::with_capacity(BATCH);
        while inbox.next(&mut batch, BATCH).await {
            self.settle(&batch).await;
        }
    }

    async fn settle(&self, batch: &[HandedIn]) {
        match self.write(batch).await {
            Some(Ok(())) => {}
            Some(Err(_)) if batch.len() > 1 => {
                // One of them cannot be written. The others must not suffer for it.
                for alone in batch.chunks(1) {
                    self.settle_alone(alone).await;
                }
            }
            Some(Err(error)) => refused(batch, &error),
            None => abandoned(batch),
        }
        self.leases.settled(batch.iter().map(|one| one.settlement.version));
    }

    async fn settle_alone(&self, alone: &[HandedIn]) {
        match self.write(alone).await {
            Some(Ok(())) => {}
            Some(Err(error)) => refused(alone, &error),
            None => abandoned(alone),
        }
    }

    /// Writes a batch, however long that takes; nothing if it took longer than anybody waits.
    async fn write(&self, batch: &[HandedIn]) -> Option<Result<(), StoreError>> {
        let settlements = || batch.iter().map(|one| one.settlement.clone()).collect();
        let write = || self.store.settle(settlements());
        let answer = self.patience.ask_while(StoreError::may_pass, "settle tasks", write).await?;
        Some(answer.map(|answers| self.tell(batch, &answers)))
    }

    fn tell(&self, batch: &[HandedIn], answers: &[Settled]) {
        for (one, answer) in batch.iter().zip(answers) {
            match (answer, &one.event) {
                (Settled::Stale, _) => tell_stale(&one.settlement),
                (_, Some(event)) => self.reports.tell(Event::clone(event)),
                _ => {}
            }
        }
    }
}

fn tell_stale(settlement: &Settlement) {
    // Nothing was said of what was given back.
    if matches!(settlement.verdict, Verdict::Released) {
        return;
    }
    warn!(
        target: "steadfast",
        session = %settlement.id,
        version = settlement.version.0,
        "what became of a task was refused: it was cancelled, or its lease was lost and it \
         belongs to another worker"
    );
}

fn refused(batch: &[HandedIn], problem: &StoreError) {
    for HandedIn { settlement, .. } in batch {
        error!(
            target: "steadfast",
            session = %settlement.id,
            error = %problem,
            "the store does not take what became of a task: the task counts as lost when its \
             lease is over"
        );
    }
}

fn abandoned(batch: &[HandedIn]) {
    warn!(
        target: "steadfast",
        count = batch.len(),
        "the store did not answer before the worker had to end: these tasks count as lost when \
         their leases are over"
    );
}
