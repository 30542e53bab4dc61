//! Being told that there is something to do (D11).
//!
//! A worker that only polls is late or expensive. So whoever makes a task ready, schedules one
//! earlier than the others, or calls a running one off says so: in the process at once, and on
//! PostgreSQL to the other processes, a few milliseconds gathered into one message. A wake-up
//! is a hint and may be lost; the slow poll of every worker is the net.

use jiff::Timestamp;
use tokio::sync::broadcast;

use crate::task::TaskId;

/// What there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wake {
    /// Tasks are ready, or a queue goes on.
    Ready,
    /// A task is due at this time.
    Due(Timestamp),
    /// A running task was called off.
    Cancelled(TaskId),
    /// Somebody wants something of a breaker.
    Breakers,
}

/// Where wake-ups come from and go to, within one process.
#[derive(Clone, Debug)]
pub struct Wakes(broadcast::Sender<Wake>);

impl Default for Wakes {
    fn default() -> Self {
        Self(broadcast::Sender::new(1024))
    }
}

impl Wakes {
    /// Tells everybody in this process.
    pub(crate) fn tell(&self, wake: Wake) {
        // Nobody listening is no error.
        let _ = self.0.send(wake);
    }

    /// Hears everything from now on.
    #[must_use]
    pub fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
    }
}

/// Hears wake-ups.
#[derive(Debug)]
pub struct Listener(broadcast::Receiver<Wake>);

impl Listener {
    /// The next wake-up. Who fell behind hears [`Wake::Ready`], which is always safe to hear.
    pub async fn next(&mut self) -> Wake {
        match self.0.recv().await {
            Ok(wake) => wake,
            Err(broadcast::error::RecvError::Lagged(_)) => Wake::Ready,
            // The store is gone, and nothing will ever be ready again.
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}
