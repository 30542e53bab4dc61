//! Ending well: no new sessions, some time for those under way, then the rest is
//! called off.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Registry;

/// Whether a shutdown has begun.
#[derive(Default)]
pub(super) struct Stopping(AtomicBool);

impl Stopping {
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How a shutdown went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stopped {
    /// How many sessions had to be called off.
    pub cancelled: usize,
}

impl Registry {
    /// Stops: sessions that begin from now on are cancelled at once, those under way have
    /// `grace` to end, and what is left then is cancelled.
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

    /// The same, while this thread waits.
    pub fn shutdown_blocking(&self, grace: Duration) -> Stopped {
        self.0.stopping.0.store(true, Ordering::Relaxed);
        self.0.sessions.wait_until_ended(Instant::now().checked_add(grace));
        self.cancel_rest()
    }

    fn cancel_rest(&self) -> Stopped {
        Stopped { cancelled: self.0.sessions.close() }
    }
}
