//! Graceful shutdown: no new sessions, a grace period, then cancellation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Registry;

/// Whether a shutdown has started.
#[derive(Default)]
pub(super) struct ShutdownFlag(AtomicBool);

impl ShutdownFlag {
    #[inline]
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The result of a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stopped {
    /// The number of sessions that were cancelled.
    pub cancelled: usize,
}

impl Registry {
    /// Shuts down: new sessions are cancelled at once, sessions in progress have `grace` to end, and
    /// the rest is cancelled then.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use steadfast::Reason;
    /// use steadfast::registry::Loader;
    ///
    /// let registry = Loader::presets().load()?;
    /// let stopped = registry.shutdown(Duration::from_secs(5)).await;
    /// assert_eq!(stopped.cancelled, 0);
    /// let late = registry.run("sql", || async { Ok::<_, std::io::Error>(()) }).await;
    /// assert_eq!(late.unwrap_err().reason(), Reason::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tokio")]
    pub async fn shutdown(&self, grace: Duration) -> Stopped {
        self.0.stopping.0.store(true, Ordering::Relaxed);
        let ended = self.0.sessions.ended();
        let _ = tokio::time::timeout(grace, ended).await;
        self.cancel_rest()
    }

    /// Shuts down and blocks this thread until then.
    pub fn shutdown_blocking(&self, grace: Duration) -> Stopped {
        self.0.stopping.0.store(true, Ordering::Relaxed);
        self.0.sessions.wait_until_ended(Instant::now().checked_add(grace));
        self.cancel_rest()
    }

    fn cancel_rest(&self) -> Stopped {
        Stopped { cancelled: self.0.sessions.close() }
    }
}
