//! Promotes scheduled tasks to pending when they are due (D11).
//!
//! The service sleeps until the next task is due. A notification announces an earlier one; if it is
//! lost, the poll finds the task.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::state::WorkerState;
use crate::store_clock::StoreClock;
use crate::sync::lock;

const BATCH_SIZE: u32 = 1000;

/// Signals the due time of newly scheduled tasks. Clones share the signal.
#[derive(Clone, Debug, Default)]
pub(crate) struct DueSignal(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    earliest: Mutex<Option<Timestamp>>,
    changed: Notify,
}

impl DueSignal {
    pub(crate) fn notify(&self, time: Timestamp) {
        let mut earliest = lock(&self.0.earliest);
        *earliest = Some(earliest.map_or(time, |earliest| earliest.min(time)));
        self.0.changed.notify_one();
    }

    async fn notified(&self) -> Option<Timestamp> {
        self.0.changed.notified().await;
        lock(&self.0.earliest).take()
    }
}

pub(super) async fn run(state: Arc<WorkerState>, due: DueSignal) {
    let mut next = Instant::now();
    let mut clock = None;
    loop {
        tokio::select! {
            () = state.shutdown.cancelled() => return,
            earliest = due.notified() => {
                if let (Some(due), Some(clock)) = (earliest, &clock) {
                    next = next.min(StoreClock::instant_of(clock, due));
                }
                continue;
            }
            () = sleep_until(next) => {}
        }
        let promote = || state.store.promote(BATCH_SIZE);
        let Some(promoted) = state.store_retry.call("promote due tasks", promote).await else {
            return;
        };
        let current = StoreClock::new(promoted.now);
        next = match promoted.next {
            _ if promoted.count >= u64::from(BATCH_SIZE) => Instant::now(),
            Some(due) => current.instant_of(due).min(Instant::now() + state.config.poll),
            None => Instant::now() + state.config.poll,
        };
        clock = Some(current);
    }
}
