//! Makes scheduled tasks ready when their time has come (D11).
//!
//! The service knows when the next task is due and sleeps until then. Whoever schedules one
//! earlier says so; should that be lost, the poll finds it.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::clock::StoreTime;
use crate::shared::Shared;

/// How many at a time.
const LIMIT: u32 = 1000;

/// Hears of tasks that are due earlier than was known. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Due(Arc<Told>);

#[derive(Debug, Default)]
struct Told {
    earliest: Mutex<Option<Timestamp>>,
    news: Notify,
}

impl Due {
    pub(crate) fn tell(&self, time: Timestamp) {
        let mut earliest = self.0.earliest.lock().unwrap_or_else(PoisonError::into_inner);
        *earliest = Some(earliest.map_or(time, |known| known.min(time)));
        self.0.news.notify_one();
    }

    async fn heard(&self) -> Option<Timestamp> {
        self.0.news.notified().await;
        self.0.earliest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

pub(super) async fn run(shared: Arc<Shared>, due: Due) {
    let mut next = Instant::now();
    let mut time = None;
    loop {
        tokio::select! {
            () = shared.stops.cancelled() => return,
            heard = due.heard() => {
                if let (Some(due), Some(time)) = (heard, &time) {
                    next = next.min(StoreTime::moment_of(time, due));
                }
                continue;
            }
            () = sleep_until(next) => {}
        }
        let promote = || shared.store.promote(LIMIT);
        let Some(promoted) = shared.patience.ask("promote due tasks", promote).await else {
            return;
        };
        let told = StoreTime::told(promoted.now);
        next = match promoted.next {
            _ if promoted.count >= u64::from(LIMIT) => Instant::now(),
            Some(due) => told.moment_of(due).min(Instant::now() + shared.settings.poll),
            None => Instant::now() + shared.settings.poll,
        };
        time = Some(told);
    }
}
