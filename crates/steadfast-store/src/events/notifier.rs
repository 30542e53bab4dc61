//! Wake-ups for workers that wait for tasks (D11).
//!
//! A worker that only polls is late or expensive. A write that makes a task pending, schedules
//! one earlier than the others, or cancels a running one therefore notifies: in the process at
//! once, and on PostgreSQL the other processes within a few milliseconds. A wake-up is a hint and
//! may be lost; the slow poll of every worker is the fallback.

use jiff::Timestamp;
use tokio::sync::broadcast;

use crate::task::TaskId;

/// The number of wake-ups that a slow listener may lag behind.
const LISTENER_CAPACITY: usize = 1024;

/// The reason of a wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wake {
    /// Tasks are pending, or a queue was resumed.
    Ready,
    /// A task is due at this time.
    Due(Timestamp),
    /// A running task was cancelled.
    Cancelled(TaskId),
    /// A breaker was overridden.
    Breakers,
}

/// Sends wake-ups within one process.
#[derive(Clone, Debug)]
pub struct Notifier(broadcast::Sender<Wake>);

impl Default for Notifier {
    fn default() -> Self {
        Self(broadcast::Sender::new(LISTENER_CAPACITY))
    }
}

impl Notifier {
    /// Wakes every listener in this process.
    pub(crate) fn notify(&self, wake: Wake) {
        // An error only means that there are no listeners.
        let _ = self.0.send(wake);
    }

    pub(crate) fn notify_all(&self, wakes: PendingWakes) {
        wakes.wakes().for_each(|wake| self.notify(wake));
    }

    /// Receives every wake-up from now on.
    #[must_use]
    pub fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
    }
}

/// Receives wake-ups.
#[derive(Debug)]
pub struct Listener(broadcast::Receiver<Wake>);

impl Listener {
    /// The next wake-up. A listener that lagged receives [`Wake::Ready`], which is always safe.
    pub async fn next(&mut self) -> Wake {
        match self.0.recv().await {
            Ok(wake) => wake,
            Err(broadcast::error::RecvError::Lagged(_)) => Wake::Ready,
            // The store is closed, so no task will become pending.
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// The wake-ups that a write causes, sent after its commit: whether it made tasks pending, and when
/// its first scheduled task is due.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PendingWakes {
    has_pending: bool,
    next_due: Option<Timestamp>,
}

impl PendingWakes {
    pub(crate) fn pending() -> Self {
        Self { has_pending: true, next_due: None }
    }

    /// Notes a task that is due at this time.
    pub(crate) fn note(&mut self, scheduled_at: Timestamp, is_due: bool) {
        if is_due {
            self.has_pending = true;
        } else {
            self.next_due = Some(self.next_due.map_or(scheduled_at, |due| due.min(scheduled_at)));
        }
    }

    /// Adds the wake-ups of another write in the same transaction.
    pub(crate) fn merge(&mut self, other: Self) {
        self.has_pending |= other.has_pending;
        self.next_due = self.next_due.into_iter().chain(other.next_due).min();
    }

    pub(crate) fn wakes(self) -> impl Iterator<Item = Wake> {
        let pending = self.has_pending.then_some(Wake::Ready);
        pending.into_iter().chain(self.next_due.map(Wake::Due))
    }
}
