//! A process-wide counter of handled tasks.
//!
//! Most peers take a plain function as a handler, so the count is global. It is also
//! the only thing that a handler does: what is measured is everything around it.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::sync::Notify;

use crate::peer::now;

static HANDLED: AtomicU64 = AtomicU64::new(0);
static GOAL: AtomicU64 = AtomicU64::new(u64::MAX);
static REACHED: Notify = Notify::const_new();
static LATENESS: OnceLock<Mutex<Vec<i64>>> = OnceLock::new();

/// What every handler calls, with the number that the task carries.
pub fn handled(task: i64) {
    if let Some(lateness) = LATENESS.get() {
        let late = now() - task;
        lateness.lock().unwrap_or_else(PoisonError::into_inner).push(late);
    }
    let count = HANDLED.fetch_add(1, SeqCst) + 1;
    if count == GOAL.load(SeqCst) {
        REACHED.notify_one();
    }
}

/// How many handlers have run.
pub(crate) fn count() -> u64 {
    HANDLED.load(SeqCst)
}

/// Waits until `count` handlers have run.
pub(crate) async fn until(goal: u64) {
    GOAL.store(goal, SeqCst);
    while count() < goal {
        REACHED.notified().await;
    }
}

/// From now on a task carries when it is due, and how late it is handled is kept.
pub(crate) fn keep_lateness() {
    LATENESS.get_or_init(Mutex::default);
}

/// How late each task was handled, in microseconds, in order of lateness.
pub(crate) fn lateness() -> Vec<i64> {
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
        let waiting = tokio::spawn(until(3));
        (0..3).for_each(handled);
        waiting.await.unwrap();
        assert_eq!(count(), 3);
        until(2).await;
    }
}
