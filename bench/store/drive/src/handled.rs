//! A process-wide counter of handled tasks.
//!
//! The counter is global because most peers take a plain function as a handler. Counting is all that
//! a handler does, so that only the work of the queue is measured.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::sync::Notify;

use crate::peer::now;

static HANDLED: AtomicU64 = AtomicU64::new(0);
static TARGET: AtomicU64 = AtomicU64::new(u64::MAX);
static TARGET_REACHED: Notify = Notify::const_new();
static LATENESS: OnceLock<Mutex<Vec<i64>>> = OnceLock::new();

/// Counts a handled task. Every handler calls this with the payload of its task.
pub fn handled(task: i64) {
    if let Some(lateness) = LATENESS.get() {
        let due = task;
        lateness.lock().unwrap_or_else(PoisonError::into_inner).push(now() - due);
    }
    let count = HANDLED.fetch_add(1, SeqCst) + 1;
    if count == TARGET.load(SeqCst) {
        TARGET_REACHED.notify_one();
    }
}

/// The number of handled tasks.
pub(crate) fn count() -> u64 {
    HANDLED.load(SeqCst)
}

/// Waits until `target` tasks are handled.
pub(crate) async fn wait_for(target: u64) {
    TARGET.store(target, SeqCst);
    while count() < target {
        TARGET_REACHED.notified().await;
    }
}

/// Records the lateness of tasks from now on. Their payload must be the time at which they are due.
pub(crate) fn record_lateness() {
    LATENESS.get_or_init(Mutex::default);
}

/// The recorded times from due to handled, in microseconds, sorted.
pub(crate) fn recorded_lateness() -> Vec<i64> {
    let Some(lateness) = LATENESS.get() else { return Vec::new() };
    let mut lateness = lateness.lock().unwrap_or_else(PoisonError::into_inner).clone();
    lateness.sort_unstable();
    lateness
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiter_is_woken_by_the_last_handler() {
        let waiting = tokio::spawn(wait_for(3));
        (0..3).for_each(handled);
        waiting.await.unwrap();
        assert_eq!(count(), 3);
        wait_for(2).await;
    }
}
